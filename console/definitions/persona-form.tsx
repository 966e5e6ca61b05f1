import { type ReactNode, useMemo } from 'react';
import { useSkills, useTools } from '../agents/queries.ts';
import { useRefusal } from '../core/permissions.ts';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { EditorField } from '../ui/editor/editor.tsx';
import { EntriesField } from '../ui/entries-field/entries-field.tsx';
import { MultiChoiceField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { Entries } from '../ui/page/entries.tsx';
import { Facts, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './definitions.module.css';
import { type Definition, type DefinitionFields, PERSONAS, useDefinitionActions } from './queries.ts';
import { useDefinitionsText } from './text.ts';

type PersonaValues = Required<Omit<DefinitionFields, 'category'>>;

/** Changes a persona. */
export function PersonaForm({ persona }: { readonly persona: Definition }): ReactNode {
  const text = useDefinitionsText();
  const [refusal, actions] = [useRefusal(PERSONAS.manage), useDefinitionActions(PERSONAS)];
  const [skills, tools] = [useSkills(), useTools()];
  const stored = useMemo(() => valuesOf(persona), [persona]);
  return (
    <RecordForm
      draftKey={`definition.${persona.id}`}
      stored={stored}
      reason={refusal}
      onReload={() => void actions.read()}
      done={text.saved}
      onSubmit={async ({ changes, overwrite }) =>
        actions.change(persona.id, changes, overwrite ? undefined : persona.updated_at)
      }
    >
      {({ field }) => (
        <div className="stack form py-4">
          <div className={classes.row}>
            <Field label={text.name} required maxLength={200} {...field('name')} />
            <Field label={text.key} hint={text.keyHint} required maxLength={64} {...field('key')} />
          </div>
          <TextAreaField
            label={text.description}
            hint={text.descriptionHint}
            maxLength={5_000}
            {...field('description')}
          />
          <div className={classes.row}>
            <Field label={text.persona.icon} hint={text.persona.iconHint} {...field('icon')} />
            <Field label={text.version} required maxLength={50} {...field('version')} />
          </div>
          <EditorField label={text.persona.prompt} language="markdown" size="large" {...field('system_prompt')} />
          <EntriesField label={text.persona.soul} hint={text.persona.soulHint} {...field('soul')} />
          <MultiChoiceField
            label={text.persona.skills}
            hint={text.persona.forNew}
            choices={(skills.data ?? []).map(choiceOf)}
            {...field('default_skills')}
          />
          <MultiChoiceField
            label={text.persona.tools}
            hint={text.persona.forNew}
            choices={(tools.data ?? []).map(choiceOf)}
            {...field('default_tools')}
          />
        </div>
      )}
    </RecordForm>
  );
}

function valuesOf(persona: Definition): PersonaValues {
  const { key, name, description, version, icon = '', system_prompt = '', soul = {} } = persona;
  const { default_skills = [], default_tools = [] } = persona;
  return { key, name, description, version, icon, system_prompt, soul, default_skills, default_tools };
}

function choiceOf({ key, name }: { readonly key: string; readonly name: string }) {
  return { value: key, label: showInvisible(name) };
}

/** A persona that ships with the service: all of it, to read. */
export function ShownPersona({ persona }: { readonly persona: Definition }): ReactNode {
  const text = useDefinitionsText();
  const { icon = '', version, system_prompt: prompt = '', soul = {} } = persona;
  const { default_skills: skills = [], default_tools: tools = [] } = persona;
  return (
    <>
      <Section title={text.persona.prompt}>
        <Markdown text={prompt} />
      </Section>
      <Section title={text.details}>
        <Facts
          facts={[
            { label: text.persona.icon, value: showInvisible(icon) },
            { label: text.version, value: version },
            { label: text.persona.skills, value: skills.join(', ') || text.noneOf },
            { label: text.persona.tools, value: tools.join(', ') || text.noneOf },
          ]}
        />
      </Section>
      {Object.keys(soul).length > 0 && (
        <Section title={text.persona.soul}>
          <Entries entries={soul} />
        </Section>
      )}
    </>
  );
}

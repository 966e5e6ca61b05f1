import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/code/code-block.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Facts } from '../../ui/page/facts.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Definition } from '../queries.ts';
import { useDefinitionsText } from '../text.ts';

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
        <CodeBlock code={JSON.stringify(soul, undefined, 2)} language="json" />
      </Section>
    </>
  );
}

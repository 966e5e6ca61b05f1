import { type ReactNode, useState } from 'react';
import { lineOf, partsOfLine } from '../../core/text/comma-list.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { useAgentsText } from '../text.ts';
import type { Memory, NewMemory } from './queries.ts';

const TYPES = ['fact', 'instruction', 'context', 'example'] as const;

/** The one that the api gives a memory that names none. */
const USUAL_PRIORITY = 3;

interface MemoryFormProps {
  /** The memory that is changed; undefined for a new one. */
  readonly memory: Memory | undefined;
  readonly submitLabel: string;
  readonly onSubmit: (memory: NewMemory) => Promise<void>;
}

/** Writes a memory. */
export function MemoryForm({ memory, submitLabel, onSubmit }: MemoryFormProps): ReactNode {
  const text = useAgentsText().memory;
  const [type, setType] = useState<Memory['type']>(memory?.type ?? 'fact');
  const [priority, setPriority] = useState<number | null>(memory?.priority ?? USUAL_PRIORITY);
  return (
    <Form
      submitLabel={submitLabel}
      onSubmit={async ({ content = '', tags = '' }) =>
        onSubmit({ content, type, tags: partsOfLine(tags), priority: priority ?? USUAL_PRIORITY })
      }
    >
      <TextAreaField label={text.content} name="content" defaultValue={memory?.content ?? ''} required />
      <SelectField
        label={text.type}
        name="type"
        options={TYPES.map((each) => ({ value: each, label: text.types[each] }))}
        value={type}
        onValueChange={setType}
      />
      <Field label={text.tags} name="tags" hint={text.tagsHint} defaultValue={lineOf(memory?.tags ?? [])} />
      <NumberField
        label={text.priority}
        name="priority"
        hint={text.priorityHint}
        step={1}
        min={1}
        max={5}
        value={priority}
        onValueChange={setPriority}
      />
    </Form>
  );
}

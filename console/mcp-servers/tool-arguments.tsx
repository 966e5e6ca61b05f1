import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { Facts, InlineCode } from '../ui/page/page.tsx';
import { fieldsOfSchema, type SchemaField } from '../ui/schema-form/schema-fields.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type ServersText, useServersText } from './text.ts';

/** Lists what a tool takes, each with its type and description; shows a schema of no object as it is. */
export function ToolArguments({ schema }: { readonly schema: unknown }): ReactNode {
  const text = useServersText();
  const fields = fieldsOfSchema(schema);
  if (fields === undefined) return <CodeBlock code={JSON.stringify(schema, undefined, 2)} language="json" />;
  if (fields.length === 0) return <p className="soft">{text.noArguments}</p>;
  return (
    <Facts
      facts={fields.map((field) => ({
        label: showInvisible(field.name),
        value: <InlineCode text={wordsOf(field, text)} />,
      }))}
    />
  );
}

function wordsOf(field: SchemaField, { argumentTypes, required }: ServersText): string {
  const type = field.kind === 'enum' ? field.options.join(', ') : argumentTypes[field.kind];
  const parts = [type, ...(field.isRequired ? [required] : []), ...(field.hint === undefined ? [] : [field.hint])];
  return showInvisible(parts.join(' · '));
}

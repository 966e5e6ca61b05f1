import type { ComponentProps, ReactNode } from 'react';
import { parseJson } from '../core/http/api-client.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { ShownValues, valuesOf } from '../ui/values/shown-values.tsx';
import classes from './traces.module.css';
import type { TracedCall } from './queries.ts';
import { useTracesText } from './text.ts';

/** What a tool call was given, and what it gave back. */
export type CallData = Pick<TracedCall, 'arguments' | 'edited_arguments' | 'result'>;

/** Shows what a tool call was given, and what it gave back. */
export function CallContent({ call }: { readonly call: CallData }): ReactNode {
  const text = useTracesText();
  const { arguments: args, edited_arguments: edited, result } = call;
  return (
    <>
      <Arguments title={text.arguments} values={valuesOf(args)} />
      {edited !== null && <Arguments title={text.editedArguments} values={valuesOf(edited)} />}
      {result !== null && <CallPart title={text.result} {...writtenOut(result)} />}
    </>
  );
}

function Arguments(shown: ComponentProps<typeof ShownValues>): ReactNode {
  return (
    <div className={classes.part}>
      <ShownValues {...shown} />
    </div>
  );
}

interface CallPartProps {
  readonly title: string;
  readonly code: string;
  readonly language: string;
}

/** Shows a text that a model or a tool was given, or has given back. */
export function CallPart({ title, code, language }: CallPartProps): ReactNode {
  return (
    <section className={classes.part}>
      <h3>{title}</h3>
      <CodeBlock code={code} language={language} />
    </section>
  );
}

/** A result that is longer stays as the tool wrote it. */
const MAX_INDENTED = 200_000;

/** Returns a result as it is shown: JSON with a line for each value. */
function writtenOut(result: string): Pick<CallPartProps, 'code' | 'language'> {
  if (!/^\s*[[{]/.test(result)) return { code: result, language: '' };
  if (result.length > MAX_INDENTED) return { code: result, language: 'json' };
  try {
    return { code: JSON.stringify(parseJson(result), null, 2), language: 'json' };
  } catch {
    return { code: result, language: '' };
  }
}

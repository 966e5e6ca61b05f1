import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { withPlainNumbers } from '../../domain/core/exact-json.ts';
import { Problem } from '../core/http/problem.ts';
import { useRefusal } from '../core/permissions.ts';
import { formatDuration } from '../core/text/formats.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { Button } from '../ui/controls/button.tsx';
import { readJson } from '../ui/editor/json-text.ts';
import { Badge, Empty, Loaded } from '../ui/page/page.tsx';
import { SchemaFields, type SchemaValues } from '../ui/schema-form/schema-fields.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './definitions.module.css';
import { type Definition, type TestRunResult, TOOLS, useFile, useFiles, useTestRun } from './queries.ts';
import { whyNotGiven } from './state-badges.tsx';
import { useDefinitionsText } from './text.ts';

/** Calls a tool once, for real, with arguments that are entered here. */
export function TestRun({ tool }: { readonly tool: Definition }): ReactNode {
  const text = useDefinitionsText().testRun;
  const files = useFiles(TOOLS, tool.id);
  if (tool.only_in_chats === true) return <Empty title={text.onlyInChats}>{text.onlyInChatsWhy}</Empty>;
  return (
    <Loaded query={files}>
      {(items) =>
        items.some(({ path }) => path === 'tool.json') ? (
          <DescribedTestRun tool={tool} />
        ) : (
          <Empty title={text.undescribed}>{text.undescribedWhy}</Empty>
        )
      }
    </Loaded>
  );
}

function DescribedTestRun({ tool }: { readonly tool: Definition }): ReactNode {
  const file = useFile(TOOLS, tool.id, 'tool.json');
  return <Loaded query={file}>{({ content }) => <TestRunForm tool={tool} schema={parametersIn(content)} />}</Loaded>;
}

interface TestRunFormProps {
  readonly tool: Definition;
  /** The JSON schema of its arguments. */
  readonly schema: unknown;
}

function TestRunForm({ tool, schema }: TestRunFormProps): ReactNode {
  const text = useDefinitionsText().testRun;
  const [refusal, call] = [useRefusal(TOOLS.manage), useTestRun(tool.id)];
  const [values, setValues] = useState<SchemaValues>({});
  const [isRunning, setIsRunning] = useState(false);
  const [result, setResult] = useState<TestRunResult>();
  const [problem, setProblem] = useState('');
  const run = async () => {
    setIsRunning(true);
    setProblem('');
    try {
      setResult(await call(values));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setResult(undefined);
      setProblem(error.message);
    } finally {
      setIsRunning(false);
    }
  };
  return (
    <div className="stack form py-4">
      <p className="measure soft">{tool.origin === 'builtin' ? text.leadOfBuiltin : text.lead}</p>
      <SchemaFields
        schema={schema}
        name="arguments"
        label={text.arguments}
        values={values}
        onValuesChange={setValues}
      />
      <div>
        <Button
          icon={Play}
          variant="primary"
          busy={isRunning}
          reason={refusal ?? whyNotGiven(tool) ?? undefined}
          onClick={() => void run()}
        >
          {text.run}
        </Button>
      </div>
      <p role="alert" className="danger">
        {problem}
      </p>
      {result !== undefined && <Outcome result={result} />}
    </div>
  );
}

const TONES = { success: 'good', error: 'danger', unknown: 'warn' } as const;

function Outcome({ result: { status, result, logs, duration_ms: ms } }: { readonly result: TestRunResult }): ReactNode {
  const text = useDefinitionsText().testRun;
  return (
    <section aria-label={text.result} className="list">
      <output className={classes.badges}>
        <Badge tone={TONES[status]}>{text.states[status]}</Badge>
        {formatDuration(ms / 1_000)}
      </output>
      {typeof result === 'string' ? (
        <CodeBlock code={result} language="" />
      ) : (
        <CodeBlock code={JSON.stringify(result, undefined, 2) ?? ''} language="json" />
      )}
      {logs.length > 0 && (
        <>
          <h3>{text.logs}</h3>
          <pre className="wrap-anywhere pre-wrap">{logs.map(showInvisible).join('\n')}</pre>
        </>
      )}
    </section>
  );
}

function parametersIn(toolFile: string): unknown {
  const read = readJson(toolFile);
  return 'value' in read
    ? (withPlainNumbers(read.value) as { readonly parameters?: unknown } | null)?.parameters
    : undefined;
}

import { CodeBlock } from '../../ui/code/code-block.tsx';
import { Facts } from '../../ui/page/facts.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../inbox-page.module.css';
import { useInboxText } from '../text.ts';

const LONGEST_LINE = 80;

interface ArgumentListProps {
  readonly title: string;
  /** Likely secrets in them were masked by the server. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The arguments of a call, to be read: short ones in a line each, long texts as they are, and the rest as JSON. */
export function ArgumentList({ title, values }: ArgumentListProps) {
  const text = useInboxText();
  const entries = Object.entries(values);
  const short = entries.filter(([, value]) => isShort(value));
  const long = entries.filter(([, value]) => !isShort(value));
  return (
    <section className={classes.arguments}>
      <h3>{title}</h3>
      {entries.length === 0 && <p className={classes.asks}>{text.noArguments}</p>}
      {short.length > 0 && (
        <Facts
          facts={short.map(([key, value]) => ({
            label: showInvisible(key),
            value: <code>{typeof value === 'string' ? showInvisible(value) : JSON.stringify(value)}</code>,
          }))}
        />
      )}
      {long.map(([key, value]) => (
        <div key={key}>
          <h4 className={classes.key}>{showInvisible(key)}</h4>
          {typeof value === 'string' ? (
            <CodeBlock code={value} language="" />
          ) : (
            <CodeBlock code={JSON.stringify(value, null, 2)} language="json" />
          )}
        </div>
      ))}
    </section>
  );
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= LONGEST_LINE && !value.includes('\n');
  return value === null || typeof value !== 'object';
}

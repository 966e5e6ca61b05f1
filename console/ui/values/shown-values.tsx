import { showHidden } from '../../../domain/core/visible.ts';
import { useValuesText } from '../text.ts';
import classes from './values.module.css';

/** A value with its name, such as an argument of a call. */
export interface ShownValue {
  readonly label: string;
  readonly value: unknown;
}

const LONGEST_LINE = 80;

/**
 * More are shown as JSON, in a block that says how many there are. An approval has fewer details, several of which may
 * have the same name; arguments do not.
 */
const MAX_SINGLE = 60;

/**
 * Shows what a call does or takes, all of each: short ones in a line, long ones in a block that scrolls and says how
 * long it is, so that none can push another out of sight.
 */
export function ShownValues({ title, values }: { readonly title: string; readonly values: readonly ShownValue[] }) {
  const text = useValuesText();
  if (values.length === 0) return null;
  const [single, rest] = [values.slice(0, MAX_SINGLE), values.slice(MAX_SINGLE)];
  return (
    <section className={classes.values}>
      <h3>{title}</h3>
      <dl>
        {single.map((shown, at) => (
          <Value key={at} {...shown} />
        ))}
        {rest.length > 0 && <Value label={text.more(rest.length)} value={Object.fromEntries(rest.map(pairOf))} />}
      </dl>
    </section>
  );
}

const pairOf = ({ label, value }: ShownValue) => [label, value] as const;

function Value({ label, value }: ShownValue) {
  const text = useValuesText();
  const written = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const lines = written.split('\n').length;
  const isLong = lines > 1 || written.length > LONGEST_LINE;
  return (
    <div data-long={isLong || undefined}>
      <dt>
        <span className={classes.name}>{showHidden(label).replaceAll(/\s+/g, ' ')}</span>
        {isLong && <span>{text.size(lines, written.length)}</span>}
      </dt>
      {isLong ? (
        <dd>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
          <pre tabIndex={0}>{showHidden(written)}</pre>
        </dd>
      ) : (
        <dd>
          <code>{showHidden(written)}</code>
        </dd>
      )}
    </div>
  );
}

/** Returns the arguments of a call as values with their names. */
export function valuesOf(args: Readonly<Record<string, unknown>>): readonly ShownValue[] {
  return Object.entries(args).map(([label, value]) => ({ label, value }));
}

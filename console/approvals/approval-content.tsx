import type { ReactNode } from 'react';
import { isObject } from '../../domain/core/objects.ts';
import { showHidden } from '../../domain/core/visible.ts';
import classes from './approvals.module.css';
import type { Approval } from './queries.ts';
import { useApprovalsText } from './text.ts';

/**
 * Shows all that somebody approves: what a call does, such as where it goes, and its arguments. Those that the first
 * says already are opened below.
 */
export function ApprovalContent({ approval }: { readonly approval: Approval }): ReactNode {
  const text = useApprovalsText();
  const { details, arguments: given, edited_arguments: edited } = approval;
  const values = valuesOf(given);
  const others =
    edited === null ? values.filter(({ value }) => !details.some((detail) => saysValue(detail, value))) : values;
  const isRepeated = others.length < values.length;
  return (
    <>
      {details.length > 0 && <ShownValues title={text.details} values={details.map((each) => laidOut(each, values))} />}
      {values.length === 0 && <p>{text.noArguments}</p>}
      {others.length > 0 && <ShownValues title={isRepeated ? text.otherArguments : text.arguments} values={others} />}
      {edited !== null && <ShownValues title={text.argumentsUsed} values={valuesOf(edited)} />}
      {isRepeated && (
        <details>
          <summary>{text.allArguments(values.length)}</summary>
          <ShownValues title={text.arguments} values={values} />
        </details>
      )}
    </>
  );
}

type Detail = Approval['details'][number];

/** Returns whether a detail of a call says what an argument does. Numbers and the like are the same by accident. */
function saysValue(detail: Detail, value: unknown): boolean {
  if (typeof value === 'string') return value === detail.value;
  return (isObject(value) || Array.isArray(value)) && JSON.stringify(value) === detail.value;
}

/** Something that a call does or takes, with its name. */
interface ShownValue {
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
 * Shows values to be decided about, all of each: short ones in a line, long ones in a block that scrolls and says how
 * long it is, so that none can push another out of sight.
 */
function ShownValues({ title, values }: { readonly title: string; readonly values: readonly ShownValue[] }) {
  const text = useApprovalsText();
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
  const text = useApprovalsText();
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

/** Returns a detail with the value of the argument that it repeats, which is shown as JSON on lines of its own. */
function laidOut(detail: Detail, values: readonly ShownValue[]): ShownValue {
  return { label: detail.label, value: values.find(({ value }) => saysValue(detail, value))?.value ?? detail.value };
}

function valuesOf(args: Readonly<Record<string, unknown>>): readonly ShownValue[] {
  return Object.entries(args).map(([label, value]) => ({ label, value }));
}

const MAX_CHARACTERS = 300;

/**
 * Returns in one line what tells a call from another of the same tool: what it does, and those of its arguments that
 * this does not say.
 */
export function gistOf({ details, arguments: given, edited_arguments: edited }: Approval): string {
  const others = Object.entries(given).filter(([, value]) => !details.some((detail) => saysValue(detail, value)));
  const args = (edited === null ? others : Object.entries(edited)).map(([name, value]) => `${name}: ${written(value)}`);
  const parts = [...details.map(({ value }) => value), ...args];
  return showHidden(parts.join(' · ').slice(0, MAX_CHARACTERS).replaceAll(/\s+/g, ' '));
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

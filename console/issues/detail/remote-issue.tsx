import type { ReactNode } from 'react';
import { timeFromNow } from '../../core/text/times.ts';
import { Facts } from '../../ui/page/facts.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../issues.module.css';
import type { Issue } from '../queries.ts';
import { useIssuesText } from '../text.ts';

/** The issue at the code host with which it is kept in step, and what stands against that. */
export function RemoteIssue({ remote }: { readonly remote: NonNullable<Issue['remote']> }): ReactNode {
  const text = useIssuesText();
  const words = text.remote;
  const { url, number, state, author, changed_at: changed, synced_at: synced, push_error: error, conflicts } = remote;
  const facts = [
    { label: words.stateLabel, value: words.state[state] },
    ...(author === null ? [] : [{ label: words.author, value: showInvisible(author) }]),
    { label: words.changed, value: timeFromNow(changed) },
    { label: words.synced, value: timeFromNow(synced) },
  ];
  const actions = url !== null && /^https?:\/\//.test(url) && (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {words.open(number)}
    </a>
  );
  return (
    <Section title={words.title} actions={actions}>
      <Facts facts={facts} />
      {error !== null && <p className={classes.problem}>{words.pushFailed(showInvisible(error))}</p>}
      {conflicts !== null && conflicts.length > 0 && (
        <>
          <p>{words.conflicts}</p>
          <ul className={classes.conflict}>
            {conflicts.map(({ field, here }) => (
              <li key={field}>
                {text.fields[field]}: {showInvisible([here].flat().join(', ')) || words.none}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

import { Badge } from '../ui/page/badge.tsx';
import classes from './home-page.module.css';
import { Line } from './line.tsx';
import { ChatLink, RunLink } from './links.tsx';
import { type Chat, useRunningRuns } from './queries.ts';
import { useHomeText } from './text.ts';

/** Chats and runs that are at work; nothing while there are none. */
export function Running({ chats }: { readonly chats: readonly Chat[] }) {
  const text = useHomeText();
  const runs = useRunningRuns().data ?? [];
  const running = chats.filter(({ status }) => status === 'running');
  if (runs.length + running.length === 0) return null;
  const badge = <Badge tone="good">{text.status.running}</Badge>;
  return (
    <section className={classes.section} aria-labelledby="running">
      <h2 id="running">{text.running}</h2>
      <ul className={classes.list}>
        {running.map((chat) => (
          <Line key={chat.id} link={<ChatLink chat={chat} />} badge={badge} time={chat.updated_at} />
        ))}
        {runs.map((run) => (
          <Line key={run.id} link={<RunLink run={run} />} badge={badge} time={run.started_at ?? run.created_at} />
        ))}
      </ul>
    </section>
  );
}

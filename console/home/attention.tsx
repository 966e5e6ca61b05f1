import { Link } from '@tanstack/react-router';
import { useCan } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { usePendingApprovals } from '../inbox/index.ts';
import { Badge } from '../ui/page/badge.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './home-page.module.css';
import { Line } from './line.tsx';
import { ChatLink, RunLink } from './links.tsx';
import { type Chat, useFailedRuns } from './queries.ts';
import { useHomeText } from './text.ts';

/** What waits for the user: decisions, runs that have failed, and chats that wait for a provider. */
export function Attention({ chats }: { readonly chats: readonly Chat[] }) {
  const text = useHomeText();
  const approvals = usePendingApprovals(useCan('approvals.view')).data?.items ?? [];
  const failed = useFailedRuns().data ?? [];
  const waiting = chats.filter(({ status }) => status === 'waiting');
  return (
    <section className={classes.section} aria-labelledby="attention">
      <h2 id="attention">{text.attention}</h2>
      {approvals.length + failed.length + waiting.length === 0 ? (
        <p className={classes.calm}>{text.calm}</p>
      ) : (
        <ul className={classes.list}>
          {approvals.map((approval) => (
            <Line
              key={approval.id}
              link={<ApprovalLink approval={approval} />}
              badge={<Badge tone="warn">{text.decision}</Badge>}
              time={approval.requested_at}
            />
          ))}
          {failed.map((run) => (
            <Line
              key={run.id}
              link={<RunLink run={run} />}
              badge={<Badge tone="danger">{text.failed}</Badge>}
              time={run.completed_at ?? run.created_at}
            />
          ))}
          {waiting.map((chat) => (
            <Line
              key={chat.id}
              link={<ChatLink chat={chat} />}
              badge={<Badge tone="warn">{text.status.waiting}</Badge>}
              time={chat.updated_at}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface ApprovalLinkProps {
  readonly approval: {
    readonly id: string;
    readonly agent_name: string;
    readonly tool: string | null;
    readonly label: string;
  };
}

function ApprovalLink({ approval: { id, agent_name: agent, tool, label } }: ApprovalLinkProps) {
  const [text, orgId] = [useHomeText(), useOrgId()];
  return (
    <Link to="/o/$orgId/inbox" params={{ orgId }} search={{ id }} className={classes.title}>
      {text.asked(showInvisible(agent), showInvisible(tool ?? label))}
    </Link>
  );
}

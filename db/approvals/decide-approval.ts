import type { ApprovalStatus } from '../../domain/approvals.ts';
import { type DueWork, dueRuns } from '../../domain/core/due-work.ts';
import { AUDIT_EXPIRED } from '../audit.ts';
import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { retrySerializationFailures } from '../core/unavailable.ts';
import type { StepNews } from '../stream/announce-step.ts';
import { type AncestorTurn, HAS_STOPPED } from '../turns/ancestors.ts';
import { ANNOUNCE_DUE } from '../turns/ready-turn.ts';
import { IS_NEW_VOTE, VOTE } from './store-vote.ts';
import { RECIPIENTS_OF_TURN, wakeDecided } from '../turns/due-turns.ts';
import { askedOf, type AskedRecord, newsOfAsked, newsOfVote } from '../turns/news-of-asked.ts';

/** A person's decision. */
export interface Decision {
  readonly approvalId: string;
  readonly userId: string;
  readonly status: Extract<ApprovalStatus, 'approved' | 'answered' | 'denied'>;
  readonly note: string | null;
  /** The arguments to make the call with instead; null to leave them. */
  readonly editedArguments: Readonly<Record<string, unknown>> | null;
  /** The answer to a question; null for what is none, and when it is denied. */
  readonly answer: string | null;
  /** Whose earlier approvals count no longer. */
  readonly lapsed: readonly string[];
}

/** A turn that continues because one of its calls was decided. */
export interface DecidedTurn {
  readonly chatId: string;
  readonly isSubAgent: boolean;
  readonly news: StepNews;
}

interface DecidedRow extends AskedRecord {
  /** The run of the root turn whose time limit resumes; null without one. */
  readonly runId: string | null;
  readonly turnId: string;
  readonly chatId: string;
  readonly isSubAgent: boolean;
  readonly recipients: { readonly own: AncestorTurn; readonly ancestors: readonly AncestorTurn[] };
}

/** The columns of a row from `decided d` and `turns t`. */
const DECIDED = `d.id, d.org_id as "orgId", t.id as "turnId", t.chat_id as "chatId", t.parent_turn_id is not null as "isSubAgent",
  (select on_time.id from running_on on_time where on_time.root_turn_id = d.root_turn_id) as "runId",
  ${RECIPIENTS_OF_TURN} as recipients, ${askedOf('d')} as asked`;

/**
 * Stores a decision and makes its turn due, in one statement: only the first decision about a call counts. Where more
 * people have to approve, an approval is only stored, and `voted` returned. Returns `undefined`, with nothing stored,
 * when the call waits no longer, or the user has approved it before.
 */
export async function decideApproval(
  database: Database,
  orgId: string,
  { approvalId, userId, status, note, editedArguments, answer, lapsed }: Decision,
): Promise<DecidedTurn | 'voted' | undefined> {
  const edited = editedArguments === null ? null : JSON.stringify(editedArguments);
  const decide: Statement<DecidedRow & { readonly isOpen: boolean }> = {
    name: 'decide-approval',
    // The turn is locked first, as by everything else that changes both.
    text: `with turn as (
          select t.id from turns t where t.id = (select turn_id from approvals where id = $1) and t.status = 'running'
            and not ${HAS_STOPPED}
          for update
        ),
        voted as (
          update approvals p set ${VOTE}, edited_arguments = coalesce($6, p.edited_arguments), answer = $7
          from turn where p.id = $1 and p.turn_id = turn.id and ${IS_NEW_VOTE}
          returning p.*
        ),
        decided as (select * from voted where status <> 'pending'),
        ${wakeDecided('decided')}
        select ${DECIDED}, d.status = 'pending' as "isOpen" from voted d join turns t on t.id = d.turn_id`,
    values: [approvalId, status, userId, note, lapsed, edited, answer],
  };
  const [[row]] = await retrySerializationFailures(async () => database.tenant.series(orgId, [decide, ANNOUNCE_DUE]));
  if (row === undefined) return undefined;
  if (row.isOpen) {
    await database.follow([{ changed: newsOfVote(row) }]);
    return 'voted';
  }
  const { chatId, isSubAgent } = row;
  await database.follow([
    {
      dueWork: [...runsOf([row]), { kind: 'chat', orgId, chatId, isSubAgent }],
      changed: newsOfAsked([row], 'changed'),
    },
  ]);
  return decidedTurn(row, status);
}

/** Ends the waits of a turn whose time is up, and makes it due. Questions have their default answer then. */
export async function expireApprovals(
  database: Pick<Database, 'tenant' | 'follow'>,
  { orgId, turnId }: { readonly orgId: string; readonly turnId: string },
): Promise<DecidedTurn[]> {
  const rows = await database.tenant.query<DecidedRow>(orgId, {
    name: 'expire-approvals',
    text: `with turn as (select id from turns where id = $1 for update),
      decided as (
        update approvals p set status = 'expired', decided_at = now(), answer = p.default_answer, parameters = null from turn
        where p.turn_id = turn.id and p.status = 'pending' and p.expires_at <= now() returning p.*
      ),
      ${AUDIT_EXPIRED},
      ${wakeDecided('decided')}
      select ${DECIDED} from decided d join turns t on t.id = d.turn_id`,
    values: [turnId],
  });
  await database.follow([{ dueWork: runsOf(rows), changed: newsOfAsked(rows, 'changed') }]);
  return rows.map((row) => decidedTurn(row, 'expired'));
}

function runsOf(rows: readonly DecidedRow[]): readonly DueWork[] {
  return dueRuns(rows.flatMap(({ orgId, runId }) => (runId === null ? [] : [{ orgId, runId }])));
}

function decidedTurn(
  { id: stepId, turnId: taskId, chatId, isSubAgent, recipients: { own, ancestors } }: DecidedRow,
  status: Decision['status'] | 'expired',
): DecidedTurn {
  const step = { type: 'approval_decided', taskId, stepId, status } as const;
  return { chatId, isSubAgent, news: { recipients: [own, ...ancestors.toReversed()], step } };
}

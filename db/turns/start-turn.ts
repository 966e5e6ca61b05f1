import type { Logger } from 'pino';
import type { OrgLimits } from '../../domain/orgs.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import type { Database } from '../core/database.ts';
import { type AcceptedMessage, acceptMessage } from './accept-message.ts';
import type { StepOfRun } from './runs.ts';

/** The dependencies of starting turns. */
export interface StartTurnDeps {
  readonly database: Database;
  readonly orgLimits: Pick<OrgLimits, 'messageBytes'>;
  readonly log: Logger;
}

/** The user in whose name a turn starts, with their rights. */
interface Starter {
  readonly orgId: string;
  readonly userId: string;
  readonly policy: Policy;
}

interface TurnMessage {
  readonly chatId: string;
  readonly content: string;
  /** The same id in the same chat never starts a second turn. */
  readonly clientMessageId: string | undefined;
  /** Files of the chat that the agent is to see with it. */
  readonly fileIds?: readonly string[] | undefined;
  /** For the prompt of a workflow's run: the step of which it is an attempt. */
  readonly ofRun?: StepOfRun | undefined;
  /** The turn that it continues: `ChatHasGoneOn` when the chat has a later one. */
  readonly afterTurnId?: string | undefined;
}

/**
 * Starts a turn, for every interface alike: accepts the message under the starter's policy. When this resolves, the
 * message is stored and will be answered. A worker that hears of it begins at once; when none does, because all are
 * down or the news is lost, the recovery of the next one finds it.
 */
export async function startTurn(deps: StartTurnDeps, starter: Starter, message: TurnMessage): Promise<AcceptedMessage> {
  const { orgId, userId, policy } = starter;
  const accepted = await acceptMessage(
    deps.database,
    { orgId, userId },
    {
      ...message,
      allowedAgentIds: allowedIds(policy, 'agentIds'),
      maxBytes: deps.orgLimits.messageBytes,
    },
  );
  if (!accepted.isSameContent) {
    deps.log.warn(
      { chatId: message.chatId },
      'a repeated client_message_id came with different content; the first is kept',
    );
  }
  return accepted;
}

interface TreeCount {
  /** The turn at the root of the tree. */
  readonly rootId: string;
  readonly count: number;
  /** Limit on the tree's sub-agents, at all levels together. */
  readonly atMost: number;
}

/**
 * Counts further sub-agents of a tree of turns, up to its limit, and returns how many were granted. Exact: concurrent
 * calls run one after the other. Sub-agents that are counted but never stored, because the worker died, stay counted.
 */
export async function countIntoTree(
  { tenant }: Database,
  orgId: string,
  { rootId, count, atMost }: TreeCount,
): Promise<number> {
  const [row] = await tenant.query<{ granted: number }>(orgId, {
    name: 'count-into-tree',
    text: `with root as (select id, sub_agent_count as before from turns where id = $1 for update)
      update turns t set sub_agent_count = greatest(least(root.before + $2::int, $3::int), root.before) from root
      where t.id = root.id returning t.sub_agent_count - root.before as granted`,
    values: [rootId, count, atMost],
  });
  return row?.granted ?? 0;
}

import { chooseChain, UNREFERENCED } from '../../domain/permissions/index.ts';
import { projectOf } from '../chats/index.ts';
import type { TurnPart } from '../turns/index.ts';

/** The provider chain that applies to the turn. */
export interface TurnChain {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly { readonly provider_type: string; readonly model_name: string | null }[];
  /** Whether a permission group or the chat has chosen it, so that no model profile of the agent replaces it. */
  readonly isBinding: boolean;
}

const OF_CHAT = 0;

interface ChainRow extends Omit<TurnChain, 'isBinding'> {
  readonly rank: number;
}

/**
 * The turn's chain; null when it has none. Chains without a reference are read only for members of permission groups,
 * who may be restricted to them.
 */
export const chainForTurn: TurnPart<ChainRow, TurnChain | null> = {
  text: `select h.id, h.name, h.steps, h.rank
      from (
        select p.*, case when p.id = c.provider_chain_id then ${OF_CHAT} when p.id = a.provider_chain_id then 1
          when p.id = (
            select j.provider_chain_id from projects j where j.id = ${projectOf('c')} and j.deleted_at is null
          ) then 2 when p.is_default then 3 else ${UNREFERENCED} end as rank
        from provider_chains p where p.org_id = c.org_id
      ) h
      where h.rank < ${UNREFERENCED} or exists (
        select from permission_group_members gm where gm.org_id = c.org_id and gm.user_id = c.user_id
      )
      order by h.id`,
  of: (chains, { policy }) => {
    const chain = policy === null ? undefined : chooseChain(policy, chains);
    if (policy === null || chain === undefined) return null;
    const { id, name, steps, rank } = chain;
    const isOfGroup = policy.defaultChainId === id || policy.allowlists.chainIds !== 'all';
    return { id, name, steps, isBinding: isOfGroup || rank === OF_CHAT };
  },
};

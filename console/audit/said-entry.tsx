import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OPERATOR_ID } from '../../domain/audit.ts';
import { nameInSentence } from '../../domain/resources.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatNumber } from '../core/text/formats.ts';
import { nameOf, useMembers } from '../members/queries.ts';
import { showInvisible } from '../ui/visible.ts';
import classes from './audit.module.css';
import type { AuditEntry } from './queries.ts';
import { phraseOf, RECORD_TYPES } from './record-types.ts';
import { type AuditText, useAuditText } from './text.ts';

interface EntryProps {
  readonly entry: AuditEntry;
}

/** Names who did what an entry records, and leads to them where they are a member. */
export function Actor({ entry: { actor_id: id, actor_email: email } }: EntryProps): ReactNode {
  const [text, orgId] = [useAuditText(), useOrgId()];
  const member = useMembers().data?.find(({ user_id: userId }) => userId === id);
  if (id === OPERATOR_ID) return text.operator;
  if (member === undefined) return showInvisible(email ?? text.gone);
  return (
    <Link to="/o/$orgId/members/$userId" params={{ orgId, userId: id }} className={`link ${classes.above}`}>
      {showInvisible(nameOf(member))}
    </Link>
  );
}

/** Says what an entry records, as the sentence that its actor begins: "created the agent Researcher". */
export function Deed({ entry }: EntryProps): ReactNode {
  const [before, after] = phraseOf(entry.action, useAuditText()).split('…');
  if (after === undefined) return before;
  return (
    <span className="wrap-anywhere">
      {before}
      <NamedRecord entry={entry} />
      {after}
    </span>
  );
}

/** The pages of records, by the type of record. */
const PAGES = {
  agents: '/o/$orgId/agents/$agentId',
  channels: '/o/$orgId/channels/$channelId',
  destinations: '/o/$orgId/destinations/$destinationId',
  integrations: '/o/$orgId/integrations/$integrationId',
  issues: '/o/$orgId/issues/$issueId',
  knowledge_bases: '/o/$orgId/knowledge-bases/$baseId',
  mcp_servers: '/o/$orgId/mcp-servers/$serverId',
  members: '/o/$orgId/members/$userId',
  model_profiles: '/o/$orgId/model-profiles/$profileId',
  permission_groups: '/o/$orgId/permissions/$groupId',
  personas: '/o/$orgId/personas/$definitionId',
  projects: '/o/$orgId/projects/$projectId',
  provider_chains: '/o/$orgId/provider-chains/$chainId',
  providers: '/o/$orgId/providers/$providerId',
  schedules: '/o/$orgId/schedules/$scheduleId',
  skills: '/o/$orgId/skills/$definitionId',
  tools: '/o/$orgId/tools/$definitionId',
  workflows: '/o/$orgId/workflows/$workflowId',
} as const;

/** Names the record that an entry is about, and leads to its page; says so where it was deleted. */
function NamedRecord({ entry }: EntryProps): ReactNode {
  const [text, orgId] = [useAuditText(), useOrgId()];
  const { record_type: key, record_id: id, record_name: name, record_deleted: isDeleted } = entry;
  const type = RECORD_TYPES.find(({ value }) => value === key)?.value;
  const ownWords = ownWordsOf(entry, orgId, text);
  if (ownWords !== undefined || type === undefined) return ownWords ?? key;
  const noun = nameInSentence(type);
  const words = name === null ? text.some(noun) : `${text.the(noun)} ${showInvisible(name)}`;
  if (isDeleted === true) return text.deleted(words);
  if (name === null || id === null || !(type in PAGES)) return words;
  return (
    <>
      {text.the(noun)}{' '}
      <Link to={PAGES[type as keyof typeof PAGES]} params={paramsOf(orgId, id)} className={`link ${classes.above}`}>
        {showInvisible(name)}
      </Link>
    </>
  );
}

/** Returns what is said of records without their type and name: the actor's account, the organization, several. */
function ownWordsOf(
  { record_id: id, actor_id: actorId, related_ids: related }: AuditEntry,
  orgId: string,
  text: AuditText,
) {
  if (id === orgId) return text.thisOrg;
  if (id !== null) return id === actorId ? text.ownAccount : undefined;
  return related.length > 1 ? text.several(formatNumber(related.length)) : undefined;
}

function paramsOf(orgId: string, id: string) {
  return {
    orgId,
    agentId: id,
    baseId: id,
    chainId: id,
    channelId: id,
    definitionId: id,
    destinationId: id,
    groupId: id,
    integrationId: id,
    issueId: id,
    profileId: id,
    projectId: id,
    providerId: id,
    scheduleId: id,
    serverId: id,
    userId: id,
    workflowId: id,
  };
}

import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { CodeHostKind, LogChanges } from '../../domain/projects.ts';
import type { ExpectedVersions } from '../../domain/resources.ts';
import { relinkChats, unlinkChats } from '../chats/project-chats.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { findConnection, type IntegrationConnection } from '../integrations/connections.ts';
import { lockIntegration } from '../integrations/integrations.ts';
import { pushOf, retryPushes } from '../issue-pushes.ts';
import { type Actor, noteInLog } from '../project-logs.ts';
import { requireProviderChain } from '../provider-chains.ts';
import { lockRecord, markDeleted, restoreDeleted } from '../records/records.ts';
import { REPO_COLUMNS, REPO_JOIN, type RepoState, restRepository, trackRepository } from '../repo-trees.ts';
import { Project } from './project.entity.ts';

/** The fields of a project that a caller sets. */
type ProjectFields = Pick<
  Project,
  'name' | 'description' | 'repoUrl' | 'repoType' | 'integrationId' | 'syncDirection' | 'providerChainId'
>;

/** A project as it is shown. */
export interface ShownProject extends ProjectFields, RepoState {
  readonly id: string;
  readonly ownerId: string | null;
  /** Why the credentials of its integration failed when they were last used; null when they did not. */
  readonly integrationError: string | null;
  readonly hasWebhookSecret: boolean;
  /** The live agents that work in it, in their order. */
  readonly agentIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  readonly deletedBy: string | null;
}

/** The secrets with which the code hosts of projects sign their webhook deliveries. */
export const projectSecrets = new SecretColumn('projects');

const THING = 'Project';

const SHOWN = `p.id, p.owner_id as "ownerId", p.name, p.description, p.repo_url as "repoUrl", p.repo_type as "repoType",
  p.integration_id as "integrationId",
  (select n.error from integrations n where n.id = p.integration_id) as "integrationError",
  p.sync_direction as "syncDirection", ${REPO_COLUMNS}, p.provider_chain_id as "providerChainId", p.webhook_secret is not null as "hasWebhookSecret", array(
    select g.agent_id from project_agents g join agents a on a.id = g.agent_id
    where g.project_id = p.id and a.deleted_at is null order by g.position
  ) as "agentIds", p.created_at as "createdAt", p.updated_at as "updatedAt", p.deleted_at as "deletedAt",
  p.deleted_by as "deletedBy"`;

/** Returns the organization's projects, or the deleted ones, oldest first. */
export async function listProjects(
  { tenant }: Database,
  orgId: string,
  { deleted, q, ...page }: Page & { readonly deleted: boolean; readonly q?: string | undefined },
): Promise<Listed<ShownProject>> {
  return readPage<ShownProject>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-projects',
    columns: SHOWN,
    bytes: `3400 + octet_length(p.name) + octet_length(p.description) + octet_length(p.repo_url)
      + 40 * (select count(*) from project_agents g where g.project_id = p.id)`,
    source: `from projects p ${REPO_JOIN} where p.org_id = $1 and (p.deleted_at is not null) = $2
      and ($3::text is null or strpos(lower(p.name || ' ' || p.description), lower($3)) > 0)`,
    order: 'p.id',
    values: [orgId, deleted, q ?? null],
    page,
  });
}

/** Returns the live project; `not_found` when there is none. */
export async function getProject({ tenant }: Database, orgId: string, id: string): Promise<ShownProject> {
  const [project] = await tenant.query<ShownProject>(orgId, {
    name: 'get-project',
    text: `select ${SHOWN} from projects p ${REPO_JOIN} where p.id = $1 and p.deleted_at is null`,
    values: [id],
  });
  if (project === undefined) throw notFound(THING);
  return project;
}

/** Returns the live project, locked until the transaction has ended; `not_found` when there is none. */
export async function lockProject(em: EntityManager, id: string): Promise<Project> {
  return lockRecord(em, Project, THING, { id, deletedAt: null });
}

/** The changeable fields of a project. A `webhookSecret` replaces the stored one, null removes it. */
type ProjectChanges = Partial<ProjectFields> & { readonly webhookSecret?: string | null | undefined };

/** Adds a project; `not_found` when it refers to a chain or an integration that does not exist. */
export async function createProject(
  em: EntityManager,
  box: SecretBox,
  actor: Actor,
  { webhookSecret, ...fields }: ProjectFields & Pick<ProjectChanges, 'webhookSecret'>,
): Promise<Project> {
  await checkChain(em, fields);
  await checkIntegration(em, fields);
  const { orgId, userId: ownerId } = actor;
  const id = uuidv7();
  const sealed = webhookSecret == null ? null : projectSecrets.seal(box, { orgId, id }, webhookSecret);
  const data = { ...fields, id, orgId, ownerId, webhookSecret: sealed, deletedAt: null, deletedBy: null };
  const project = em.create(Project, data as RequiredEntityData<Project>, { persist: true });
  await em.flush();
  await trackRepository(em, project);
  await note(em, actor, project, 'created');
  return project;
}

/**
 * Changes the given fields of a locked project only; `not_found` when they refer to a chain or an integration that does
 * not exist, `unprocessable` when the integration is for another kind of code host.
 */
export async function updateProject(
  em: EntityManager,
  box: SecretBox,
  actor: Actor,
  project: Project,
  { webhookSecret, ...fields }: ProjectChanges,
): Promise<void> {
  await checkChain(em, fields);
  const before = loggedFieldsOf(project);
  em.assign(project, fields, { mergeObjectProperties: false });
  if (fields.integrationId !== undefined || fields.repoType !== undefined) await checkIntegration(em, project);
  if (webhookSecret !== undefined)
    project.webhookSecret = webhookSecret === null ? null : projectSecrets.seal(box, project, webhookSecret);
  // A waiting turn may find an account by it.
  if (before.providerChainId !== project.providerChainId) afterCommit(em, { wakesTurnsOf: project.orgId });
  const changes = changesOf(before, loggedFieldsOf(project));
  if (Object.keys(changes).length > 0) await note(em, actor, project, 'updated', changes);
  await followRepository(em, before, project);
}

const REACHED_WITH = ['repoUrl', 'repoType', 'integrationId'] as const;

/** Reads a changed repository and sends its host the pending changes, as far as the change concerns either. */
async function followRepository(em: EntityManager, before: LoggedFields, project: Project): Promise<void> {
  const isOther = REACHED_WITH.some((field) => before[field] !== project[field]);
  if (!isOther && before.syncDirection === project.syncDirection) return;
  // Stored first, so that nobody reads or writes the former repository for the changed project.
  await em.flush();
  if (isOther) await trackRepository(em, project);
  await retryPushes(em, { projectId: project.id });
  afterCommit(em, { dueWork: [pushOf({ orgId: project.orgId, projectId: project.id })] });
}

/**
 * Deletes a locked project softly, its issues with it. Its chats and their tasks belong to no project until it is
 * restored, and only to their owners.
 */
export async function deleteProject(em: EntityManager, actor: Actor, project: Project): Promise<void> {
  markDeleted(project, actor.userId);
  // Stored first: a chat that is being added to it is then either among those below, or finds no project.
  await em.flush();
  await unlinkChats(em, project);
  await restRepository(em, project.id);
  await note(em, actor, project, 'deleted');
  if (project.providerChainId !== null) afterCommit(em, { wakesTurnsOf: project.orgId });
}

/**
 * Restores a deleted project with its issues, and its chats with their tasks; `conflict` when it is not deleted. Chats
 * that were continued in the meantime come back private.
 */
export async function restoreProject(
  em: EntityManager,
  actor: Actor,
  id: string,
  expected?: ExpectedVersions,
): Promise<void> {
  const project = await restoreDeleted(em, Project, { thing: THING, id, expected });
  await relinkChats(em, project);
  if (project.providerChainId !== null) afterCommit(em, { wakesTurnsOf: project.orgId });
  await trackRepository(em, project);
  await note(em, actor, project, 'restored');
}

/**
 * Allocates the next number for an issue of a live project, which blocks others until the transaction has ended;
 * `not_found` when there is no such project.
 */
export async function takeIssueNumber(em: EntityManager, projectId: string): Promise<number> {
  return takeIssueNumbers(em, projectId, 1);
}

/** Allocates the next `count` numbers likewise, and returns the first of them. */
export async function takeIssueNumbers(em: EntityManager, projectId: string, count: number): Promise<number> {
  const [taken] = await em.execute<{ first: number }[]>(
    `update projects set last_number = last_number + ? where id = ? and deleted_at is null
      returning last_number - ? + 1 as first`,
    [count, projectId, count],
  );
  if (taken === undefined) throw notFound(THING);
  return taken.first;
}

async function note(
  em: EntityManager,
  actor: Actor,
  { id, name }: Pick<Project, 'id' | 'name'>,
  action: 'created' | 'updated' | 'deleted' | 'restored',
  changes: LogChanges = {},
): Promise<void> {
  await noteInLog(em, actor, { projectId: id, action, recordType: 'project', recordId: id, title: name, changes });
}

type LoggedFields = ProjectFields & Pick<Project, 'webhookSecret'>;

function loggedFieldsOf(project: Project): LoggedFields {
  const { name, description, repoUrl, repoType, integrationId, syncDirection, providerChainId, webhookSecret } =
    project;
  return { name, description, repoUrl, repoType, integrationId, syncDirection, providerChainId, webhookSecret };
}

// Of a long or secret text the log says only that it was changed.
function changesOf(before: LoggedFields, after: LoggedFields): LogChanges {
  const shown = ['name', 'repoUrl', 'repoType', 'integrationId', 'syncDirection', 'providerChainId'] as const;
  const changes = shown
    .filter((field) => before[field] !== after[field])
    .map((field) => [LOGGED_NAMES[field], { from: before[field], to: after[field] }] as const);
  const hidden = (['description', 'webhookSecret'] as const)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => [LOGGED_NAMES[field], { from: null, to: null }] as const);
  return Object.fromEntries([...changes, ...hidden]);
}

const LOGGED_NAMES = {
  name: 'name',
  repoUrl: 'repo_url',
  repoType: 'repo_type',
  integrationId: 'integration_id',
  syncDirection: 'sync_direction',
  providerChainId: 'provider_chain_id',
  description: 'description',
  webhookSecret: 'webhook_secret',
};

async function checkChain(em: EntityManager, { providerChainId }: Partial<ProjectFields>): Promise<void> {
  if (typeof providerChainId === 'string') await requireProviderChain(em, providerChainId);
}

// Checked again by whatever uses the credentials: they are sent to the address of the integration, and to no other.
async function checkIntegration(
  em: EntityManager,
  { integrationId, repoType }: Pick<ProjectFields, 'integrationId' | 'repoType'>,
): Promise<void> {
  if (integrationId === null) return;
  const { kind } = await lockIntegration(em, integrationId);
  if (kind === repoType) return;
  const host = repoType === '' ? 'a project without a repository' : `a project at ${repoType}`;
  throw new AppError('unprocessable', `An integration for ${kind} does not serve ${host}`);
}

/** The repository of a project, and the integration that it is reached with. */
export interface ProjectRepository {
  readonly url: string;
  readonly kind: CodeHostKind;
  /** Absent when the project names none: then its host is asked without credentials. */
  readonly integration: IntegrationConnection | undefined;
}

/** A project of an organization. */
export interface ProjectRef {
  readonly orgId: string;
  readonly projectId: string;
}

/** Returns the repository of a live project; undefined when there is no such project, or when it has no repository. */
export async function findRepository(
  database: TenantDatabase,
  { orgId, projectId }: ProjectRef,
): Promise<ProjectRepository | undefined> {
  const [row] = await database.tenant.query<{
    readonly url: string;
    readonly kind: CodeHostKind;
    readonly integrationId: string | null;
  }>(orgId, {
    name: 'find-repository',
    text: `select repo_url as url, repo_type as kind, integration_id as "integrationId" from projects
      where id = $1 and deleted_at is null and repo_url <> ''`,
    values: [projectId],
  });
  if (row === undefined) return undefined;
  const { integrationId, ...repository } = row;
  if (integrationId === null) return { ...repository, integration: undefined };
  return { ...repository, integration: await findConnection(database, { orgId, integrationId }) };
}

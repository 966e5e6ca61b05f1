import type { ActivityOptions } from '@temporalio/common';
import type { Activities } from '../../activities/index.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';

/** Whether all work is done that was due, and how long to wait before the rest. */
export interface StepsResult {
  readonly hasEnded: boolean;
  readonly waitMs: number;
}

/** When work is due next: in so many milliseconds; null, or nothing, when there is none. */
export type WorkResult = StepsResult | number | null | void;

/** A workflow whose activity does the work of rows whenever it is due. */
interface WorkflowOfWork<Work> {
  readonly type: string;
  /** Returns the workflow's id: the same work is done once at a time. */
  readonly idOf: (work: Work) => string;
  readonly activity: ActivityFor<Work>;
  readonly options: ActivityOptions;
  /** Whether a signal does not shorten the wait, which the other side has asked for. */
  readonly keepsWaits?: boolean;
}

/** The activities that can do some work. */
type ActivityFor<Work> = {
  [Name in keyof Activities]: Activities[Name] extends (work: Work) => Promise<WorkResult> ? Name : never;
}[keyof Activities];

/** The kinds of work that one activity does. */
export type KindOfWork =
  | 'channel'
  | 'document'
  | 'embedding'
  | 'file-text'
  | 'grant-revocation'
  | 'issue-push'
  | 'issue-sync'
  | 'marketplace-index'
  | 'messages'
  | 'repo-tree'
  | 'webhook';

// Failures of others are results, or stored with the time of the next try; what is left are the database and the
// worker.
const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' } as const;
const SLOW_RETRY = { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10 minutes' } as const;

/**
 * The workflow of each kind of work. Types, ids and activities are part of histories and of Temporal's store: they do
 * not change.
 */
export const WORKFLOWS_OF_WORK = {
  // Handles the messages that a channel has received, one after the other.
  channel: {
    type: 'readChannel',
    idOf: ({ orgId, channelId }) => `channel/${orgId}/${channelId}`,
    activity: 'receiveMessages',
    options: { startToCloseTimeout: '2 minutes', heartbeatTimeout: '20 seconds', retry: RETRY },
  },
  // Reads the text of a document and makes it searchable; the text of a file once that is extracted.
  document: {
    type: 'readDocument',
    idOf: ({ orgId, documentId }) => `knowledge-document/${orgId}/${documentId}`,
    activity: 'readKnowledgeDocument',
    options: { startToCloseTimeout: '5 minutes', heartbeatTimeout: '30 seconds', retry: RETRY },
  },
  // Embeds the passages of a knowledge base that have no vector. While no account can do so, it waits for the next try,
  // or for a signal that an account may be available.
  embedding: {
    type: 'embedKnowledgeBase',
    idOf: ({ orgId, knowledgeBaseId }) => `knowledge-embedding/${orgId}/${knowledgeBaseId}`,
    activity: 'embedKnowledgeBase',
    // A run of four minutes, and the calls that it has begun by then.
    options: { startToCloseTimeout: '15 minutes', heartbeatTimeout: '30 seconds', retry: RETRY },
  },
  // Extracts the text of an uploaded file.
  'file-text': {
    type: 'extractText',
    idOf: ({ orgId, fileId }) => `file-text/${orgId}/${fileId}`,
    activity: 'extractFileText',
    options: { startToCloseTimeout: '5 minutes', heartbeatTimeout: '30 seconds', retry: RETRY },
  },
  // Notifies a service that a grant of an integration is no longer needed.
  'grant-revocation': {
    type: 'endIntegrationGrant',
    idOf: ({ orgId, revocationId }) => `integration-revocation/${orgId}/${revocationId}`,
    activity: 'revokeGrant',
    // Nobody waits for it, and the database may be away.
    options: { startToCloseTimeout: '40 seconds', retry: { maximumAttempts: 5 } },
  },
  // Sends local changes to a project's code host, one after the other.
  'issue-push': {
    type: 'pushIssues',
    idOf: ({ orgId, projectId }) => `issue-push/${orgId}/${projectId}`,
    activity: 'tellHost',
    options: { startToCloseTimeout: '2 minutes', heartbeatTimeout: '20 seconds', retry: RETRY },
    keepsWaits: true,
  },
  // Reads the issues of a project from its code host, part by part. A project has one sync at a time.
  'issue-sync': {
    type: 'syncIssues',
    idOf: ({ orgId, projectId, syncId }) => `issue-sync/${orgId}/${projectId}/${syncId}`,
    activity: 'readFromHost',
    options: { startToCloseTimeout: '2 minutes', heartbeatTimeout: '20 seconds', retry: RETRY },
    keepsWaits: true,
  },
  // Fetches an index of the marketplace, and the items of it that are new: once an hour, and when somebody asks, for as
  // long as the operator names it.
  'marketplace-index': {
    type: 'refreshMarketplaceIndex',
    idOf: ({ indexId }) => `marketplace-index/${indexId}`,
    activity: 'fetchMarketplaceIndex',
    options: { startToCloseTimeout: '10 minutes', heartbeatTimeout: '30 seconds', retry: SLOW_RETRY },
  },
  // Enters new messages of all organizations into the search index, in the order of their ids.
  messages: {
    type: 'enterMessages',
    idOf: () => 'search-words',
    activity: 'enterNewMessages',
    // The ten seconds that it runs for, and a batch.
    options: { startToCloseTimeout: '1 minute', heartbeatTimeout: '20 seconds', retry: RETRY },
  },
  // Reads the repository of a project at its host, again and again for as long as the project has one.
  'repo-tree': {
    type: 'refreshRepoTree',
    idOf: ({ orgId, projectId }) => `repo-tree/${orgId}/${projectId}`,
    activity: 'fetchRepoTree',
    options: { startToCloseTimeout: '10 minutes', heartbeatTimeout: '30 seconds', retry: SLOW_RETRY },
  },
  // Sends deliveries to an address, one after the other, with growing pauses while it fails.
  webhook: {
    type: 'deliverWebhooks',
    idOf: ({ orgId, targetId }) => `webhook/${orgId}/${targetId}`,
    activity: 'deliverNext',
    options: { startToCloseTimeout: '2 minutes', heartbeatTimeout: '20 seconds', retry: RETRY },
  },
} as const satisfies { readonly [Kind in KindOfWork]: WorkflowOfWork<WorkOf<Kind>> };

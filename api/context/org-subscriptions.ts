import type { ChatAudience } from '../../db/chats/index.ts';
import type { RecordNews } from '../../db/core/index.ts';

/** A change, and who may know of the chat that it belongs to. */
export interface KnownNews {
  readonly news: RecordNews;
  readonly audience: ChatAudience | undefined;
}

/** The frames of changes that are told together: one for the same words, however many are told them. */
export interface NewsFrames {
  of(told: Pick<RecordNews, 'resource' | 'id' | 'action'>): Buffer;
}

/** A member who is told of changes. The methods must return at once and must not throw. */
export interface OrgViewer {
  /** Tells of changes, of which each viewer may know some. */
  onNews(news: readonly KnownNews[], frames: NewsFrames): void;
  /** Tells that anything may have changed: news were lost, or there were too many. */
  onLost(): void;
}

/** The organizations whose members are told of changes through this process. */
export interface OrgSubscriptions {
  /** Tells the viewer what changes in an organization from now on, until the returned function is called. */
  subscribe(orgId: string, viewer: OrgViewer): () => void;
  /** Tells the viewer what has changed in an organization in the last milliseconds, or that anything may have. */
  tellRecent(orgId: string, viewer: OrgViewer, sinceMs: number): void;
}

/** The bytes that are read, and written, of an object at most. */
export const MAX_OBJECT = 32 * 1024 * 1024;

/** Where an object is. */
export interface ObjectLocation {
  readonly bucket: string;
  readonly key: string;
}

/** The properties of an object without its content. */
export interface ObjectHead {
  readonly bytes: number;
  readonly type: string | null;
  readonly modifiedAt: string | null;
  readonly etag: string | null;
  /** The key of the call that has written it; undefined when none of ours has. */
  readonly writtenBy: string | undefined;
}

/** An object of a list. */
interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modified: string | null;
}

/** One page of a list. */
export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** The common prefixes of the keys up to the next slash, where folders are wanted. */
  readonly folders: readonly string[];
  /** Where the list continues; undefined at its end. */
  readonly next: string | undefined;
}

interface BucketPage {
  readonly buckets: readonly { readonly name: string; readonly created: string | null }[];
  readonly next: string | undefined;
}

/** How an object is stored. */
export interface ObjectWrite {
  /** The same each time the call is repeated. */
  readonly callKey: string;
  /** Whether an object that is there may be replaced. */
  readonly overwrite: boolean;
  /** The media type; the store's own unless given. */
  readonly type?: string | undefined;
}

/** A store of objects that speaks S3. Throws `ToolFailure` with the words of the store, without secrets. */
export interface ObjectStore {
  listBuckets(cursor: string | undefined): Promise<BucketPage>;
  list(
    bucket: string,
    page: { readonly prefix: string; readonly byFolder: boolean; readonly cursor: string | undefined },
  ): Promise<ObjectPage>;
  /** Returns what is known of an object; undefined when it is not there. */
  head(location: ObjectLocation): Promise<ObjectHead | undefined>;
  /** Returns the content of an object; throws when it is larger than `MAX_OBJECT`. */
  read(location: ObjectLocation): Promise<Buffer>;
  /** Stores an object in one request; the same call again changes nothing. Throws when another one is there. */
  write(location: ObjectLocation, content: Uint8Array, options: ObjectWrite): Promise<void>;
  /** Copies an object within the store. Throws when another one is there that may not be replaced. */
  copy(from: ObjectLocation, to: ObjectLocation, options: Pick<ObjectWrite, 'overwrite'>): Promise<void>;
  /** Removes an object; one that is not there is a success. */
  remove(location: ObjectLocation): Promise<void>;
  /** Returns an address from which anybody can read the object for so many seconds. Nothing is sent. */
  presign(location: ObjectLocation, seconds: number): Promise<string>;
}

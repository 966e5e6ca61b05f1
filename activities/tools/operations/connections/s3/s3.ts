import { types } from 'node:util';
import type { S3 } from '@aws-sdk/client-s3';
import { cut, toShowable } from '../../../../../domain/core/text.ts';
import { ToolFailure, type ToolFailureClass } from '../../../tool-failure.ts';
import { type Account, type Reach, RejectedCredentials, saidBy } from '../connections.ts';
import { guardedHandler } from './guarded-handler.ts';
import { MAX_OBJECT, type ObjectHead, type ObjectLocation, type ObjectStore } from './object-store.ts';

/** The endpoint of an integration's store unless it names another one. */
const AT_AWS = 'https://s3.amazonaws.com';
const REGION = /^[a-z\d-]{1,50}$/;
const LISTED = 100;
const TIMEOUT_MS = 60_000;
/** The name in an object's metadata under which the call that has written it is found. */
const CALL = 'everturn-call';

/** Does work in the object store of an integration. The library takes 20 MB, so it is loaded where it is used. */
export async function inObjects<T>(
  account: Account,
  work: (store: ObjectStore) => Promise<T>,
  { http, signal }: Pick<Reach, 'http' | 'signal'>,
): Promise<T> {
  const [library, presigner] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const handler = guardedHandler(http, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_OBJECT }, signal);
  const client = new library.S3({
    ...regionOf(account),
    credentials: {
      accessKeyId: account.secrets['access_key_id'] ?? '',
      secretAccessKey: account.secrets['secret_access_key'] ?? '',
    },
    // Whatever the worker's environment says: nothing but the integration decides where requests go.
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    // Several servers do not know the newer ones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The handler repeats what may be repeated.
    maxAttempts: 1,
    requestHandler: handler,
  });
  const presign = async ({ bucket: Bucket, key: Key }: ObjectLocation, expiresIn: number) =>
    presigner.getSignedUrl(client, new library.GetObjectCommand({ Bucket, Key }), { expiresIn });
  try {
    return await work(storeOf(client, account, presign));
  } catch (error) {
    signal.throwIfAborted();
    throw s3Failure(error, account, handler.isWriting);
  } finally {
    client.destroy();
  }
}

/** Shows that the keys of an integration work: by its bucket or, where it names none, by the list of buckets. */
export async function signInToS3(account: Account, reach: Reach): Promise<void> {
  const bucket = account.settings['bucket'];
  const probe = async (store: ObjectStore) =>
    bucket === undefined
      ? store.listBuckets(undefined)
      : store.list(bucket, { prefix: '', byFolder: true, cursor: undefined });
  try {
    await inObjects(account, probe, reach);
  } catch (error) {
    if (error instanceof RejectedCredentials || !(error instanceof ToolFailure) || error.kind !== 'denied') throw error;
    const what = bucket === undefined ? 'list buckets; name one in the setting `bucket`' : 'list that bucket';
    throw error.isForeign ? new ToolFailure('denied', `S3 does not let these keys ${what}`, { cause: error }) : error;
  }
}

function regionOf({ name, apiUrl, settings }: Account) {
  const { region = '', path_style: pathStyle } = settings;
  // It becomes a part of the host at AWS.
  if (!REGION.test(region)) throw new ToolFailure('invalid_input', `The region of the integration ${name} is none`);
  const isAws = apiUrl === AT_AWS;
  return {
    region,
    // Always given: the library would ask its environment for one otherwise.
    endpoint: isAws ? `https://s3.${region}.amazonaws.com` : apiUrl,
    forcePathStyle: pathStyle === undefined ? !isAws : pathStyle === 'yes',
  };
}

function storeOf(client: S3, { mask }: Account, presign: ObjectStore['presign']): ObjectStore {
  const head: ObjectStore['head'] = async (location) => headOf(client, location);
  return {
    presign,
    head,
    listBuckets: async (cursor) => {
      const answer = await client.listBuckets({ MaxBuckets: LISTED, ContinuationToken: cursor });
      const buckets = certain(answer.Buckets ?? (answer.Owner && [])).map(
        ({ Name: name = '', CreationDate: created }) => ({
          name: mask(name),
          created: created?.toISOString() ?? null,
        }),
      );
      return { buckets, next: answer.ContinuationToken };
    },
    list: async (bucket, { prefix, byFolder, cursor }) => {
      const answer = await client.listObjectsV2({
        Bucket: bucket,
        Prefix: prefix,
        Delimiter: byFolder ? '/' : undefined,
        ContinuationToken: cursor,
        MaxKeys: LISTED,
      });
      certain(answer.Name);
      return {
        objects: (answer.Contents ?? []).map(({ Key: key = '', Size: bytes = 0, LastModified: modified }) => ({
          key: mask(key),
          bytes,
          modified: modified?.toISOString() ?? null,
        })),
        folders: (answer.CommonPrefixes ?? []).map(({ Prefix: folder = '' }) => mask(folder)),
        next: answer.NextContinuationToken,
      };
    },
    read: async ({ bucket: Bucket, key: Key }) => {
      const { Body: body } = await client.getObject({ Bucket, Key });
      return Buffer.from((await body?.transformToByteArray()) ?? []);
    },
    write: async ({ bucket: Bucket, key: Key }, content, { overwrite, callKey, type }) => {
      const put = { Bucket, Key, Body: content, ContentType: type, Metadata: { [CALL]: callKey } };
      await unlessThere(overwrite, {
        isDone: async () =>
          isThere(await head({ bucket: Bucket, key: Key }), Key, (there) => there.writtenBy === callKey),
        write: async (condition) => certain((await client.putObject({ ...put, ...condition })).ETag, true),
      });
    },
    copy: async (from, { bucket: Bucket, key: Key }, { overwrite }) => {
      const source = await head(from);
      if (source === undefined) throw new ToolFailure('not_found', `There is no object at ${from.key}`);
      const copy = { Bucket, Key, CopySource: [from.bucket, ...from.key.split('/')].map(encodeURIComponent).join('/') };
      await unlessThere(overwrite, {
        isDone: async () =>
          isThere(await head({ bucket: Bucket, key: Key }), Key, (there) => there.etag === source.etag),
        write: async (condition) =>
          certain((await client.copyObject({ ...copy, ...condition })).CopyObjectResult?.ETag, true),
      });
    },
    remove: async ({ bucket: Bucket, key: Key }) => {
      try {
        await client.deleteObject({ Bucket, Key });
      } catch (error) {
        // Some stores answer so to the removal of what is not there.
        if (statusOf(error) !== 404 || (error instanceof Error && error.name === 'NoSuchBucket')) throw error;
      }
    },
  };
}

async function headOf(client: S3, { bucket: Bucket, key: Key }: ObjectLocation): Promise<ObjectHead | undefined> {
  try {
    const answer = await client.headObject({ Bucket, Key });
    return {
      bytes: answer.ContentLength ?? 0,
      type: answer.ContentType ?? null,
      modifiedAt: answer.LastModified?.toISOString() ?? null,
      etag: answer.ETag ?? null,
      writtenBy: answer.Metadata?.[CALL],
    };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Returns what each store answers with; a web page that answers with a success does not. */
function certain<T>(answered: T | undefined, isUncertain = false): T {
  if (answered === undefined) throw noStore({ isUncertain });
  return answered;
}

/** A write, and whether it was made before. */
interface Write {
  /** Throws when something else is there. */
  readonly isDone: () => Promise<boolean>;
  readonly write: (condition: { readonly IfNoneMatch?: string }) => Promise<unknown>;
}

/** Makes a write, which replaces nothing unless it may. The same call again finds what it has written. */
async function unlessThere(overwrite: boolean, { isDone, write }: Write): Promise<void> {
  if (overwrite) {
    await write({});
    return;
  }
  // Some stores overlook the condition, so they are asked before.
  if (await isDone()) return;
  try {
    await write({ IfNoneMatch: '*' });
  } catch (error) {
    // Others refuse it, such as Backblaze B2: they have said before that nothing is there.
    if (isNotImplemented(error)) await write({});
    else if (statusOf(error) !== 412 || !(await isDone())) throw error;
  }
}

function isThere(there: ObjectHead | undefined, key: string, isOurs: (there: ObjectHead) => boolean): boolean {
  if (there === undefined) return false;
  if (isOurs(there)) return true;
  throw new ToolFailure('invalid_input', `There is an object at ${key} already: set overwrite to replace it`);
}

const SERVICE = 'S3';
const MAX_CODE = 100;
/** The errors of keys that are good for nothing. */
const REJECTIONS: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
]);
const BUSY: ReadonlySet<string> = new Set([
  // Another write of the same key is under way.
  'ConditionalRequestConflict',
  'SlowDown',
  'RequestLimitExceeded',
  'TooManyRequests',
  'ServiceUnavailable',
]);
/** The names of the library for an answer without a code of the store, as those to HEAD are. */
const NAMELESS: ReadonlySet<string> = new Set(['Unknown', 'UnknownError', 'Error', 'NotFound', 'Forbidden']);

/** Returns the status of the answer that an error of the library is about; undefined when it is about none. */
function statusOf(error: unknown): number | undefined {
  if (!types.isNativeError(error) || !('$metadata' in error)) return undefined;
  const { $metadata: metadata } = error;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** Returns whether an error of the library says that the store does not know the request, and has done nothing. */
function isNotImplemented(error: unknown): boolean {
  return statusOf(error) === 501;
}

/**
 * Returns the failure that an error of the library is, in the words of the store. A store that fails in the middle of a
 * write, or answers it with something else, may have made it.
 */
function s3Failure(error: unknown, account: Pick<Account, 'mask'>, isWriting: boolean): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const status = statusOf(error);
  if (!types.isNativeError(error) || status === undefined || status < 300)
    return noStore({ cause: error, isUncertain: isWriting });
  const code = cut(toShowable(account.mask(error.name)), MAX_CODE);
  if (REJECTIONS.has(code)) return new RejectedCredentials(SERVICE, { cause: error });
  const said = NAMELESS.has(code) ? hintFor(status) : `: ${code}: ${saidBy(account, error)}`;
  const message = `${SERVICE} answers with the status ${status}${said}`;
  return new ToolFailure(BUSY.has(code) ? 'rate_limited' : classOf(status), message, {
    cause: error,
    isForeign: !NAMELESS.has(code),
    isUncertain: isWriting && status >= 500 && !isNotImplemented(error),
  });
}

/** Returns the failure that an answer is which no store gives; `isUncertain` where it is one to a write. */
function noStore(options: ErrorOptions & { isUncertain?: boolean } = {}): ToolFailure {
  return new ToolFailure('upstream', 'The answer is not that of a store that speaks S3: check the base_url', options);
}

function classOf(status: number): ToolFailureClass {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 ? 'invalid_input' : 'upstream';
}

function hintFor(status: number): string {
  if (status === 403) return ': these keys may not do that, or it does not exist';
  if (status < 400) return ': the bucket is elsewhere; check the region and the base_url of the integration';
  return '';
}

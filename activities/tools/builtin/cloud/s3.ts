import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { decodeText, markedEncoding } from '../../../../domain/core/decode-text.ts';
import { MAX_OBJECT, type ObjectStore } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { pathParameter } from '../parameters.ts';
import { actionsWith, defineServiceTool, type ServiceCall } from '../services/service-tool.ts';

/** A text up to this size is shown. */
const MAX_SHOWN = 20_000;
const DEFAULT_SECONDS = 3_600;
const MAX_SECONDS = 86_400;
const bucketName = z.string().regex(/^[a-z\d][a-z\d._-]{1,61}[a-z\d]$/i, 'must be the name of a bucket');
const objectKey = z.string().min(1).max(1_024);

const parameters = z.strictObject({
  bucket: bucketName.optional().describe('That of the integration when left out.'),
  key: objectKey.optional().describe('Of the object; in copy, the new one.'),
  prefix: z.string().max(1_024).optional().describe('In list: what keys begin with.'),
  folders: z.boolean().optional().describe('In list: folders up to the next slash instead of all that is in them.'),
  content: z.string().max(1_000_000).optional().describe('In put: a text.'),
  file: pathParameter('A workspace file: to put, or to write what get reads to.').optional(),
  content_type: z
    .string()
    .max(200)
    .regex(/^[\w.+-]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/, 'must be a media type')
    .optional()
    .describe('In put.'),
  from_bucket: bucketName.optional().describe('In copy: another bucket that the object is in.'),
  from_key: objectKey.optional().describe('In copy: what is copied.'),
  overwrite: z.boolean().optional().describe('In put and copy: whether an object that is there is replaced.'),
  expires_s: z
    .int()
    .min(1)
    .max(MAX_SECONDS)
    .optional()
    .describe(`In presign: seconds, ${DEFAULT_SECONDS} when left out.`),
  cursor: z.string().max(2_000).optional().describe('The `next` of a former page.'),
});

type Arguments = z.output<typeof parameters>;
const { keyed, read } = actionsWith<Arguments>();
/** Nobody is asked before something is added; to replace something is to lose it. */
const whenReplacing = ({ overwrite }: Arguments) => (overwrite === true ? 'writes' : 'never');

const ACTIONS = {
  list: read([], async ({ prefix = '', folders = false, cursor, ...args }, call) => {
    const page = { prefix, byFolder: folders, cursor };
    const {
      objects,
      folders: found,
      next,
    } = await inStore(call, async (store) => store.list(bucketOf(args, call), page));
    return { objects, ...(folders && { folders: found }), next };
  }),
  // A repetition writes the same file.
  get: keyed(['key'], { approval: 'never' }, async (args, call) =>
    call.context.runLargeWork(async () => inStore(call, async (store) => get(args, call, store))),
  ),
  put: keyed(
    ['key'],
    { approval: whenReplacing, sends: { path: ({ file }) => file, maxBytes: MAX_OBJECT } },
    async (args, call) =>
      call.context.runLargeWork(async () => {
        const [bucket, content] = [bucketOf(args, call), await contentOf(args, call)];
        const options = {
          callKey: call.context.idempotencyKey,
          overwrite: args.overwrite === true,
          type: typeOf(args),
        };
        await inStore(call, async (store) => store.write({ bucket, key: args.key }, content, options));
        return { bucket, key: args.key, bytes: content.length };
      }),
  ),
  copy: keyed(['from_key', 'key'], { approval: whenReplacing }, async (args, call) => {
    const bucket = bucketOf(args, call);
    const from = { bucket: args.from_bucket ?? bucket, key: args.from_key };
    const options = { overwrite: args.overwrite === true };
    await inStore(call, async (store) => store.copy(from, { bucket, key: args.key }, options));
    return { bucket, key: args.key, copied_from: from };
  }),
  delete: keyed(['key'], async (args, call) => {
    const bucket = bucketOf(args, call);
    await inStore(call, async (store) => store.remove({ bucket, key: args.key }));
    return { bucket, key: args.key, deleted: true };
  }),
  presign: read(['key'], async ({ key, expires_s: seconds = DEFAULT_SECONDS, ...args }, call) => {
    const bucket = bucketOf(args, call);
    const url = await inStore(call, async (store) => {
      // Otherwise only the reader of the link would find out that there is no object.
      if ((await store.head({ bucket, key })) === undefined) throw noObject(key);
      return store.presign({ bucket, key }, seconds);
    });
    return { url, expires_s: seconds };
  }),
  list_buckets: read([], async ({ cursor }, call) => inStore(call, async (store) => store.listBuckets(cursor))),
};

/** Works with the objects of a store that speaks S3. */
export const s3 = defineServiceTool({
  key: 's3',
  name: 'S3',
  description:
    'Lists, reads, writes, copies and deletes objects in Amazon S3 or a store like it, and creates download links. Anything but a short text is read into a workspace file. Anyone with a link can read the object: share it only with the people it is for.',
  category: 'cloud',
  kinds: ['s3'],
  parameters,
  actions: ACTIONS,
});

async function inStore<T>({ service, context }: ServiceCall, work: (store: ObjectStore) => Promise<T>): Promise<T> {
  return context.connections.inObjects(service, work);
}

function bucketOf({ bucket }: Pick<Arguments, 'bucket'>, { service }: ServiceCall): string {
  const name = bucket ?? service.settings['bucket'];
  if (name === undefined) throw new ToolFailure('invalid_input', 'Name a bucket: the integration has none of its own');
  // That of a setting was not checked before.
  if (!bucketName.safeParse(name).success)
    throw new ToolFailure('invalid_input', 'The bucket of the integration is not the name of one');
  return name;
}

async function get(
  { key, file, ...args }: Arguments & { readonly key: string },
  call: ServiceCall,
  store: ObjectStore,
): Promise<unknown> {
  const location = { bucket: bucketOf(args, call), key };
  const head = await store.head(location);
  if (head === undefined) throw noObject(key);
  const { bytes, type, modifiedAt: modified } = head;
  if (bytes > MAX_OBJECT)
    throw new ToolFailure('upstream', `The object has ${bytes} bytes; at most ${MAX_OBJECT} are read`);
  const content = await store.read(location);
  const about = { key, bytes: content.length, type, modified };
  if (file === undefined && isText(content)) return { ...about, content: call.service.mask(decodeText(content)) };
  const path = file ?? pathFor(location.bucket, key);
  const options = { overwrite: true, createFolders: true, isForeign: true };
  await call.context.workspace.write(filePath(path), content, options);
  return { ...about, file: path };
}

function isText(content: Buffer): boolean {
  if (content.length > MAX_SHOWN) return false;
  const isEncoded = markedEncoding(content) !== undefined || isUtf8(content);
  return isEncoded && !decodeText(content).includes('\u0000');
}

// Whoever names an object says nothing of where it is kept here: of the key, only letters of its end.
function pathFor(bucket: string, key: string): string {
  const id = createHash('sha256').update(`${bucket}/${key}`).digest('hex').slice(0, 8);
  const name = (key.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_').slice(-80);
  return `s3-objects/${id}-${name}`;
}

async function contentOf({ content, file }: Arguments, { readSent }: ServiceCall): Promise<Buffer> {
  if ((content === undefined) === (file === undefined))
    throw new ToolFailure('invalid_input', 'Give either `content` or `file`: what is stored');
  return file === undefined ? Buffer.from(content ?? '') : readSent(file);
}

function typeOf({ content_type: type, content }: Arguments): string | undefined {
  return type ?? (content === undefined ? undefined : 'text/plain; charset=utf-8');
}

function noObject(key: string): ToolFailure {
  return new ToolFailure('not_found', `There is no object at ${key}`);
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** A server that speaks S3, with one empty bucket. */
export interface S3Server {
  /** As `FILES_URL` takes it. */
  readonly filesUrl: string;
  readonly port: number;
  close(): Promise<void>;
}

const BUCKET = 'files';

/**
 * Starts the server on a free port. Its credentials, which clients find in the environment, are set for this process.
 */
export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'everturn-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
  return {
    port,
    filesUrl: `s3://${BUCKET}/everturn?endpoint=http://127.0.0.1:${port}`,
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

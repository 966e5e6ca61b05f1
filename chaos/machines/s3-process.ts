import S3rver from 's3rver';

// A server that speaks S3 as a process of its own: `node s3-process.ts ADDRESS PORT FOLDER`.

const [address = '', port = '', directory = ''] = process.argv.slice(2);
await new S3rver({
  address,
  port: Number(port),
  silent: true,
  directory,
  configureBuckets: [{ name: 'files', configs: [] }],
}).run();

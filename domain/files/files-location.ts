/** A place for files in a storage that speaks S3. */
export interface FilesLocation {
  readonly bucket: string;
  /** Begins the name of every object; empty, or with a slash at its end. */
  readonly prefix: string;
  /** The address of the server; that of AWS unless given. */
  readonly endpoint: string | undefined;
  readonly region: string;
}

const EXPECTED = 'must be like s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1';
const DEFAULT_REGION = 'us-east-1';

/** Reads where files are kept, as a setting gives it; nothing is PostgreSQL. Throws what is wrong with the text. */
export function parseFilesLocation(text: string): FilesLocation | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url === null || !isBucket(url)) throw new Error(EXPECTED);
  const { endpoint, region = DEFAULT_REGION, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || !isEndpoint(endpoint)) throw new Error(EXPECTED);
  const path = url.pathname.split('/').filter((part) => part !== '');
  return { bucket: url.host, prefix: path.map((part) => `${part}/`).join(''), endpoint, region };
}

// Credentials are no part of it: addresses end up in logs.
function isBucket({ protocol, host, username, hash }: URL): boolean {
  return protocol === 's3:' && host !== '' && username === '' && hash === '';
}

function isEndpoint(text: string | undefined): boolean {
  return text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { SignatureV4 } from '@smithy/signature-v4';
import { AwsV4Signer } from 'aws4fetch';
import { Random } from '../../test/support/random.ts';
import { signAwsRequest } from './aws-signer.ts';

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** The hash that the AWS SDK's signer is given, on Node's own. */
class Sha256 {
  readonly #hash;

  constructor(key?: Bytes) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', toBinary(key));
  }

  update(data: Bytes): void {
    this.#hash.update(toBinary(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

function toBinary(bytes: Bytes): string | Uint8Array {
  if (typeof bytes === 'string') return bytes;
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}

const random = new Random(17);
const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
const MODELS = [
  'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-5',
  'openai.gpt-oss-120b-1:0',
  "odd (model)*it's! ü",
];

function randomRequest() {
  const service = 'bedrock';
  const name = encodeURIComponent(pick(MODELS));
  const query = pick(['', '?b=2&a=1', '?maxResults=10&nextToken=a%2Bb%20c%2F%3D', '?a=2&a=1&A=0']);
  const port = pick(['', ':8443']);
  return {
    service,
    method: pick(['POST', 'GET', 'PUT']),
    url: `https://${service}.eu-west-1.amazonaws.com${port}/model/${name}/converse-stream${query}`,
    body: random.text(200),
    region: pick(['us-east-1', 'eu-west-1']),
    now: new Date(1_750_000_000_000 + random.below(1_000_000_000)),
    keys: {
      accessKeyId: `AKIA${random.below(1_000_000)}`,
      secretAccessKey: `secret/${random.text(30)}+`,
      sessionToken: random.chance(0.5) ? `token${random.below(1_000_000)}//==` : undefined,
    },
  };
}

type SampleRequest = ReturnType<typeof randomRequest>;

async function signWithAws4fetch(request: SampleRequest): Promise<string | null> {
  const { method, url, body, region, service, now, keys } = request;
  const signer = new AwsV4Signer({
    method,
    url,
    body,
    region,
    service,
    datetime: now.toISOString().replace(/[-:]|\.\d{3}/g, ''),
    accessKeyId: keys.accessKeyId,
    secretAccessKey: keys.secretAccessKey,
    ...(keys.sessionToken !== undefined && { sessionToken: keys.sessionToken }),
  });
  const { headers } = await signer.sign();
  return headers.get('authorization');
}

async function signWithSmithy(request: SampleRequest): Promise<string | undefined> {
  const { method, url, body, region, service, now, keys } = request;
  const { host, hostname, pathname, searchParams, protocol } = new URL(url);
  const { sessionToken, ...permanent } = keys;
  const signer = new SignatureV4({
    service,
    region,
    credentials: { ...permanent, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    applyChecksum: false,
  });
  const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  const sent = { method, protocol, hostname, path: pathname, query, headers: { host }, body };
  const { headers } = await signer.sign(sent, { signingDate: now });
  return headers['authorization'];
}

describe('the signature of a request to AWS', () => {
  test('is that of aws4fetch and of the AWS SDK for 200 requests', async () => {
    for (let count = 0; count < 200; count += 1) {
      const request = randomRequest();
      const { authorization } = signAwsRequest(request, request);
      expect(authorization).toBe(await signWithAws4fetch(request));
      expect(authorization).toBe(await signWithSmithy(request));
    }
  });

  test('comes with the headers that it covers', () => {
    const request = { ...randomRequest(), now: new Date('2026-01-02T03:04:05.678Z') };
    expect(signAwsRequest(request, { ...request, keys: { ...request.keys, sessionToken: 'temporary' } })).toEqual({
      'x-amz-date': '20260102T030405Z',
      'x-amz-security-token': 'temporary',
      authorization: expect.stringContaining('SignedHeaders=host;x-amz-date;x-amz-security-token,'),
    });
  });
});

import { json, OutsideServer, type Reply, type SeenRequest } from './outside-server.ts';

/** Words of the same meaning, by the one that stands for them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  reimbursed: 'refund',
  reimbursement: 'refund',
  repaid: 'refund',
  lunch: 'meal',
  dinner: 'meal',
  food: 'meal',
  meals: 'meal',
  car: 'vehicle',
  automobile: 'vehicle',
};

const DIMENSIONS = 64;

interface Embedding {
  readonly model: string;
  readonly input: readonly string[];
}

/** A server that gives vectors in OpenAI's format. Texts with words of the same meaning get vectors that are close. */
export class EmbeddingServer {
  readonly outside: OutsideServer;

  private constructor(outside: OutsideServer) {
    this.outside = outside;
    this.behave();
  }

  static async start(): Promise<EmbeddingServer> {
    return new EmbeddingServer(await OutsideServer.start());
  }

  get port(): number {
    return this.outside.port;
  }

  /** The `base_url` of an account. */
  get url(): string {
    return `${this.outside.url}/v1`;
  }

  /** The texts of all calls. */
  get texts(): readonly string[] {
    return this.outside.seen.flatMap((request) => readEmbedding(request).input);
  }

  /** Answers as it does, or by another reply. */
  behave(reply: Reply = embed()): void {
    this.outside.reply = reply;
  }

  close(): void {
    this.outside.close();
  }
}

export function readEmbedding({ body }: SeenRequest): Embedding {
  return JSON.parse(body) as Embedding;
}

/** Makes the reply of vectors of so many dimensions. */
export function embed(dimensions = DIMENSIONS): Reply {
  return (response, request) => {
    const { model, input } = readEmbedding(request);
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }));
    const tokens = input.reduce((sum, text) => sum + text.length, 0);
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    json({ object: 'list', model, data, usage })(response, request);
  };
}

/** Returns the vector that the server gives a text. */
export function vectorOf(text: string, dimensions = DIMENSIONS): readonly number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const index = indexOf(SYNONYMS[word] ?? word, dimensions);
    vector[index] = (vector[index] ?? 0) + 1;
  }
  return vector;
}

function indexOf(word: string, dimensions: number): number {
  let hash = 0;
  for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % dimensions;
}

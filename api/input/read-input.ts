import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import { describeIssue } from '../../domain/core/issues.ts';
import { conventionOf } from '../http/convention.ts';
import type { Route } from '../http/define-route.ts';
import { InvalidRequest, issuesOf } from '../http/problem.ts';
import { type BodyLimit, declaredBytes } from '../limits/bodies/body-limit.ts';
import { MAX_BODY_BYTES, readJsonBody, toBodyFailure } from './json-body.ts';
import { withoutReadOnly } from './read-only-fields.ts';

const noQuery = z.strictObject({});

type BodyOptions = Parameters<typeof readJsonBody>[2] & {
  /** Fields of the record that callers may send back, and cannot set. */
  readonly readOnly: ReadonlySet<string> | undefined;
  readonly orgId: string | undefined;
};

/** Reads what a request sends, and checks it by the schemas of its route; `sent` is the body before that. */
export async function readInput(route: Route, request: Request, response: Response, options: BodyOptions) {
  const params = route.params && parse(route.params, pathOf(request), 'path');
  // Health checks may add parameters that keep their requests out of caches.
  const querySchema = route.query ?? (conventionOf(route.path) === 'own' ? noQuery : undefined);
  const query = querySchema && parse(querySchema, request.query, 'query');
  const { orgId, readOnly } = options;
  const raw = route.body && (await readJsonBody(request, response, options));
  const sent = withoutReadOnly(raw, readOnly, { isNew: route.method === 'post', orgId });
  const body = route.body && parse(route.body, sent, 'body');
  const delivered = route.delivery === undefined ? undefined : await readRawBody(request, response, options);
  return { params, query, body, sent, delivered };
}

// Of a parameter that takes the rest of a path the router makes a list of segments.
function pathOf({ params }: Request): Record<string, string> {
  const entries: [string, string | string[]][] = Object.entries(params);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]));
}

function parse(schema: z.ZodType, value: unknown, part: 'path' | 'query' | 'body'): unknown {
  const result = schema.safeParse(value, { error: describeIssue, reportInput: true });
  if (!result.success) throw new InvalidRequest(issuesOf(result.error, part));
  return result.data;
}

const readBytes = express.raw({ limit: MAX_BODY_BYTES, type: () => true, inflate: false });

/** Reads the bytes of a request's body as they were sent, for a route that checks their signature. */
async function readRawBody(
  request: Request,
  response: Response,
  { limit, sender }: { readonly limit: BodyLimit; readonly sender: string },
): Promise<Buffer> {
  const release = limit.acquire(sender, declaredBytes(request, MAX_BODY_BYTES));
  try {
    await new Promise<void>((resolve, reject) => {
      readBytes(request, response, (error?: unknown) =>
        error === undefined ? resolve() : reject(toBodyFailure(error)),
      );
    });
  } finally {
    release();
  }
  // The reader sets nothing for a request without a body.
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

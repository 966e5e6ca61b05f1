import type { TestRequest } from '../../integrations/index.ts';
import type { Parsed } from '../definition/parsed.ts';
import { parseRequestTemplate, type RequestTemplate } from '../definition/request-template.ts';

/** Reads the request that shows whether the credentials of an integration work. It has no arguments. */
export function parseTestRequest(apiUrl: string, { path, headers, query }: TestRequest): Parsed<RequestTemplate> {
  return parseRequestTemplate({ method: 'GET', url: `${apiUrl}${path}`, headers, query }, new Set());
}

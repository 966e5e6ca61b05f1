import { isWithin, type KnownIntegration } from '../../integrations/index.ts';
import type { CustomTool } from '../definition/inspect-tool.ts';
import type { RequestTemplate } from '../definition/request-template.ts';

/**
 * Returns why a tool cannot be used with the integration that it names, in words for people; undefined when it can, or
 * names none. The words do not repeat the address of the integration, which not everybody may see.
 */
export function integrationProblem(
  { integration: name, runtime }: CustomTool,
  integration: KnownIntegration | undefined,
): string | undefined {
  if (name === undefined || runtime.kind !== 'http') return undefined;
  if (integration === undefined) return `tool.json: there is no integration named ${name}`;
  const issue = secretIssue(runtime.request, integration) ?? addressIssue(runtime.request, integration);
  return issue && `http.json: ${issue}`;
}

function secretIssue({ secrets }: RequestTemplate, { name, fields, secretPlaces }: KnownIntegration) {
  const unset = secrets.find(({ field }) => !fields.includes(field));
  if (unset !== undefined) return `the integration ${name} has no credential named ${unset.field}`;
  const misplaced = secrets.find(({ place }) => !secretPlaces.includes(place));
  if (misplaced === undefined) return undefined;
  return `the credentials of the integration ${name} must not be put into the ${misplaced.place} of a request`;
}

// The rest of the path is looked at when there are values for it.
function addressIssue({ origin, path: [start] }: RequestTemplate, { name, apiUrl }: KnownIntegration) {
  const [route = ''] = typeof start === 'string' ? start.split('?', 1) : [];
  if (isWithin(apiUrl, `${origin}${route}`)) return undefined;
  return `url: requests with the integration ${name} go to its base_url and below it only`;
}

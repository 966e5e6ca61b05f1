import { ToolFailure } from '../../tool-failure.ts';
import type { ServiceCall } from '../services/service-tool.ts';
import { type ConfluencePage, readPage } from './confluence-page.ts';

/** What a page is to become; what is undefined stays. */
interface Change {
  readonly id: string;
  readonly title: string | undefined;
  readonly body: { readonly representation: string; readonly value: string } | undefined;
  /** The version that the change is meant for; whichever is the newest unless given. */
  readonly version: number | undefined;
}

const CONFLICT = 409;
const MAX_ATTEMPTS = 3;

/**
 * Makes the next version of a page. Somebody who changes it meanwhile is noticed by the number of the version: then the
 * page is read again, unless the change is meant for one version only. A repetition finds the key of its call in the
 * message of the newest version, and changes nothing.
 */
export async function changePage(change: Change, call: ServiceCall) {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const page = await readPage(call.service, change.id);
    const isMade = page.version.message?.includes(call.context.idempotencyKey) === true;
    if (isMade) return tell(page.title, page.version.number, change.id);
    if (change.version !== undefined && change.version !== page.version.number)
      throw new ToolFailure(
        'invalid_input',
        `The page has the version ${page.version.number} now, not ${change.version}: read it again, and change what it says now`,
      );
    const number = page.version.number + 1;
    const title = change.title ?? page.title;
    if (await putVersion({ page, change, title, number }, call)) return tell(title, number, change.id);
  }
  throw new ToolFailure('upstream', `Others changed the page at the same time, ${MAX_ATTEMPTS} times; try again`);
}

interface NextVersion {
  readonly page: ConfluencePage;
  readonly change: Change;
  readonly title: string;
  readonly number: number;
}

// Returns whether it was made; not when the number is taken.
async function putVersion(
  { page, change, title, number }: NextVersion,
  { service, context }: ServiceCall,
): Promise<boolean> {
  const same = { representation: 'atlas_doc_format', value: page.body?.atlas_doc_format?.value ?? '' };
  const version = { number, message: `Changed by an agent (${context.idempotencyKey})` };
  const { status } = await service.request({
    method: 'PUT',
    path: `/api/v2/pages/${change.id}`,
    json: { id: change.id, status: 'current', title, body: change.body ?? same, version },
    effect: 'keyed',
    accepts: [CONFLICT],
  });
  return status !== CONFLICT;
}

function tell(title: string, version: number, id: string) {
  return { id, title, version };
}

import type { Request } from 'express';
import { z } from 'zod';
import { actionOf, type AuditOutcome, namedFields, namedIds } from '../../domain/audit.ts';
import type { ApiContext } from '../context/api-context.ts';
import {
  attributeCredential,
  auditedCaller,
  type AuditedCaller,
  type AuditEvent,
  DENIED,
  NOBODY,
} from './audited-caller.ts';
import type { IdentifiedCaller, IdentifyCaller } from '../access/authenticate.ts';
import { credentialOf } from '../access/bearer.ts';
import type { Route } from '../http/define-route.ts';
import { INTERNAL_STATUS, problemOf } from '../http/problem.ts';
import { idOf } from '../resources/news-of-request.ts';

type AuditContext = Pick<ApiContext, 'audit' | 'tokens' | 'log'>;

/**
 * Collects the audit entry of one request, derived from its route's declaration. Only ids and the names of declared
 * fields are taken from the request itself.
 */
export class RequestAudit {
  readonly #route: Route;
  readonly #request: Request;
  readonly #ip: string;
  readonly #context: AuditContext;
  #caller: IdentifiedCaller | undefined;
  #notedIds: readonly string[] = [];
  #notedOrgIds: readonly string[] = [];
  #body: unknown;
  #noted: { readonly userId: string; readonly orgId: string | undefined } | undefined;

  constructor(route: Route, { request, ip }: { request: Request; ip: string }, context: AuditContext) {
    this.#route = route;
    this.#request = request;
    this.#ip = ip;
    this.#context = context;
  }

  /** Wraps `identify` to remember the caller that it finds. */
  observing(identify: IdentifyCaller): IdentifyCaller {
    return async (...exchange) => {
      this.#caller = await identify(...exchange);
      return this.#caller;
    };
  }

  /**
   * Records the account that a request to a public route concerns, and the organization when it is not the active one.
   */
  noteUser(userId: string, orgId: string | undefined): void {
    this.#noted = { userId, orgId };
  }

  /** Records the fields of the body; read-only fields are ignored by the route and left out here. */
  noteBody(checked: unknown): void {
    this.#body = checked;
  }

  /** Records which further records the request concerns, beside those that it names. */
  noteRecords(ids: readonly string[]): void {
    this.#notedIds = ids;
  }

  /** Records the organizations that a success concerns, instead of the one that the request is for. */
  noteOrgs(orgIds: readonly string[]): void {
    this.#notedOrgIds = orgIds;
  }

  /** Records a success, unless nothing was changed or the route is excluded as routine. */
  async done(answer: unknown): Promise<void> {
    const { audit, method, response } = this.#route;
    const known = this.#known();
    if (method === 'get' || audit === false || known.actorId === undefined) return;
    const event = this.#event({ ...known, outcome: 'success', status: response.status }, idOf(answer));
    const { recordType, recordId } = event;
    const orgId = this.#pathId('org_id') ?? (recordType === 'orgs' ? recordId : undefined) ?? event.orgId;
    const orgIds = this.#notedOrgIds.length > 0 ? this.#notedOrgIds : [orgId];
    await Promise.all(orgIds.map(async (each) => this.#context.audit.changed({ ...event, orgId: each })));
  }

  /** Records a denial, or a server failure that leaves open whether something was changed. */
  failed(error: unknown): void {
    const { status } = problemOf(error) ?? { status: INTERNAL_STATUS };
    const isServerError = status >= 500 && this.#route.method !== 'get' && this.#route.audit !== false;
    if (!isServerError && !DENIED.has(status)) return;
    const outcome = isServerError ? 'failed' : 'denied';
    if (status === 401 && this.#caller === undefined && this.#noted === undefined) {
      void this.#auditRejectedCredential();
    } else this.#context.audit.denied(this.#event({ ...this.#known(), outcome, status }));
  }

  #known(): AuditedCaller {
    if (this.#caller === undefined) return { ...NOBODY, actorId: this.#noted?.userId, orgId: this.#noted?.orgId };
    return auditedCaller(this.#caller);
  }

  // A token of an ended session, or a key with a wrong secret, still names its owner.
  async #auditRejectedCredential(): Promise<void> {
    const { audit, tokens, log } = this.#context;
    try {
      const known = { ...NOBODY, ...(await attributeCredential(tokens, credentialOf(this.#request))) };
      audit.denied(this.#event({ ...known, outcome: 'denied', status: 401 }));
    } catch (error) {
      log.error({ err: error }, 'a rejected credential could not be attributed');
    }
  }

  #event(
    known: AuditedCaller & { readonly outcome: AuditOutcome; readonly status: number },
    answerId?: string,
  ): AuditEvent {
    const { path, resource, response } = this.#route;
    const pathIds = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => this.#pathId(name) ?? []);
    const pathId = path.endsWith('/me') ? known.actorId : pathIds.at(-1);
    // A public route concerns the account that it turned out to be about.
    const found = answerId ?? this.#noted?.userId;
    const recordId = response.status === 201 ? found : (pathId ?? found);
    const related = [...pathIds, ...namedIds(this.#body), ...this.#notedIds].filter((id) => id !== recordId);
    return {
      ...known,
      action: actionOf(this.#route),
      recordType: resource,
      recordId,
      relatedIds: [...new Set(related)],
      fields: namedFields(this.#body),
      ip: this.#ip,
    };
  }

  #pathId(name: string): string | undefined {
    return z.uuid().toLowerCase().safeParse(this.#request.params[name]).data;
  }
}

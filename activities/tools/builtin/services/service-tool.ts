import { z } from 'zod';
import type { ApprovalMode } from '../../../../domain/approvals.ts';
import type { IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import type { ToolCategory } from '../../../../domain/tools/category.ts';
import type { ServiceRequest, ToolContext } from '../../context.ts';
import { type BuiltinTool, defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';
import { integrationParameter } from '../parameters.ts';
import { describeService, readSentFile } from './describe-service.ts';
import { type ActionService, serviceFor } from './read-answer.ts';

/** The context of an action of a tool. */
export interface ServiceCall {
  /** The service of the integration, which masks its secrets in whatever it answers. */
  readonly service: ActionService;
  readonly context: ToolContext;
  /** Reads the workspace file that the action sends, as it was approved. */
  readonly readSent: (path: string) => Promise<Buffer>;
}

/** The workspace file whose content an action sends, which is approved with the call. */
interface SentFile<A> {
  /** Returns its path. */
  readonly path: (args: A) => string | undefined;
  readonly maxBytes: number;
}

interface ActionOptions<A> {
  /** Where it differs from that of the tool, or depends on the arguments. */
  readonly approval?: ApprovalMode | ((args: A) => ApprovalMode);
  /** Describes a call to viewers and to the person who decides about it; the name of the action unless given. */
  readonly label?: (args: A) => string;
  readonly sends?: SentFile<A>;
}

/** One of the actions of a tool that works with a service. */
interface ServiceAction<A> extends ActionOptions<A> {
  /** The arguments that it cannot do without. */
  readonly needs: readonly string[];
  readonly effect: RunEffect;
  /** Returns the result, a value for JSON. Throws `ToolFailure` when it cannot. */
  readonly run: (args: A, call: ServiceCall) => Promise<unknown>;
}

type With<A, N extends keyof A> = A & { readonly [K in N]-?: NonNullable<A[K]> };

type Run<A, N extends keyof A> = (args: With<A, N>, call: ServiceCall) => Promise<unknown>;

/** Makes an action of the arguments that it needs, what is special about it, and what it does. */
interface MakeAction<A> {
  <N extends keyof A & string = never>(needs: readonly N[], run: Run<A, N>): ServiceAction<A>;
  <N extends keyof A & string = never>(
    needs: readonly N[],
    options: ActionOptions<A>,
    run: Run<A, N>,
  ): ServiceAction<A>;
}

/** Returns what makes the actions of a tool with these arguments, by their effect. */
export function actionsWith<A>() {
  const by = (effect: RunEffect): MakeAction<A> => {
    return <N extends keyof A & string>(needs: readonly N[], ...rest: [Run<A, N>] | [ActionOptions<A>, Run<A, N>]) => {
      const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
      // The tool has checked that the needed arguments are there.
      return { ...options, needs, effect, run: async (args, call) => run(args as With<A, N>, call) };
    };
  };
  return { read: by('read'), keyed: by('keyed'), once: by('once') };
}

/** The arguments that all actions share. */
interface Given {
  readonly action: string;
  readonly integration?: string | undefined;
}

interface ServiceToolSpec<P extends z.ZodObject> {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly category: ToolCategory;
  /** The kinds of integrations that it works with. */
  readonly kinds: readonly IntegrationKindKey[];
  /** The arguments of all actions; the action itself and the name of the integration come to them. */
  readonly parameters: P;
  readonly actions: Readonly<Record<string, ServiceAction<z.output<P>>>>;
  /** Of calls whose action says nothing else; those that write wait for a person unless given. */
  readonly approval?: ApprovalMode;
  readonly timeoutSeconds?: number;
}

/** Makes a tool that works with the service of an integration, by one of several actions. */
export function defineServiceTool<P extends z.ZodObject>({
  kinds,
  parameters,
  actions,
  approval = 'writes',
  timeoutSeconds = 90,
  ...spec
}: ServiceToolSpec<P>): BuiltinTool {
  const named = new Map(Object.entries(actions));
  const actionOf = (key: string) => {
    const action = named.get(key);
    if (action === undefined) throw new Error(`the tool ${spec.key} lacks the action ${key}`);
    return action;
  };
  const describe = async ({ action, integration, ...args }: Given, context: ToolContext) => {
    const { sends } = actionOf(action);
    const path = sends?.path(args as z.output<P>);
    const sent = sends === undefined || path === undefined ? undefined : { paths: [path], maxBytes: sends.maxBytes };
    return describeService(kinds, integration, context, sent);
  };
  return defineTool({
    ...spec,
    parameters: z.strictObject({
      action: z.enum([...named.keys()]).describe(needsOf(named)),
      ...parameters.shape,
      integration: integrationParameter,
    }),
    effect: strongestOf(actions),
    approval,
    timeoutSeconds,
    needsIntegration: kinds,
    effectOf: ({ action }) => actionOf(action).effect,
    approvalOf: ({ action, ...args }) => {
      const { approval: own = approval } = actionOf(action);
      return typeof own === 'function' ? own(args as z.output<P>) : own;
    },
    label: ({ action, ...args }) =>
      `${spec.name}: ${actionOf(action).label?.(args as z.output<P>) ?? action.replaceAll('_', ' ')}`,
    describe,
    run: async (all, context, approvedBasis) => {
      const { action: key, integration, ...args } = all;
      const { needs, effect, sends, run } = actionOf(key);
      const given = new Map<string, unknown>(Object.entries(args));
      const missing = needs.filter((name) => given.get(name) === undefined || given.get(name) === '');
      if (missing.length > 0)
        throw new ToolFailure('invalid_input', `The action ${key} requires ${missing.join(' and ')}`);
      const service = serviceFor(await context.openService(kinds, integration), effect);
      const readSent = async (path: string) => {
        if (sends === undefined) throw new Error(`the action ${key} of the tool ${spec.key} sends no file`);
        const file = { path, maxBytes: sends.maxBytes };
        return readSentFile(file, context, { approvedBasis, describe: async () => describe(all, context) });
      };
      return { value: await run(args as z.output<P>, { service, context, readSent }), isForeign: true };
    },
  });
}

const EFFECTS: readonly RunEffect[] = ['once', 'keyed', 'read'];

/** Returns the effect of a tool as a whole: that of its action which is hardest to repeat. */
function strongestOf(actions: Readonly<Record<string, { readonly effect: RunEffect }>>): RunEffect {
  const own = new Set(Object.values(actions).map(({ effect }) => effect));
  return EFFECTS.find((effect) => own.has(effect)) ?? 'read';
}

function needsOf(actions: ReadonlyMap<string, Pick<ServiceAction<never>, 'needs'>>): string {
  const needs = [...actions].flatMap(([key, action]) =>
    action.needs.length === 0 ? [] : [`${key} needs ${action.needs.join(', ')}`],
  );
  return needs.length === 0 ? 'What to do.' : `What to do: ${needs.join('; ')}.`;
}

/**
 * Writes a path of which each value is one part, whatever characters it contains: none leads to another route. As a
 * tag: `` pathOf`/users/${name}/keys` ``. Throws `ToolFailure` for a value that cannot be a part.
 */
export function pathOf(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map(encoded));
}

function encoded(value: string | number): string {
  const text = String(value);
  // These two are resolved away, however they are encoded; some servers decode slashes before they split a path.
  if (text === '' || text.split(/[/\\]/).some((part) => part === '.' || part === '..'))
    throw new ToolFailure('invalid_input', `A name or an id cannot be "${text}"`);
  return encodeURIComponent(text.toWellFormed());
}

interface Changed<N> {
  readonly method: 'PATCH' | 'PUT';
  readonly pathOf: (named: N) => string;
  /** The shown fields. */
  readonly fields: string;
}

/** Returns how a record of a service is changed: members of it are set, so a repetition changes nothing. */
export function changeOf<N>({ method, pathOf, fields }: Changed<N>) {
  return async (named: N, json: Readonly<Record<string, unknown>>, { service }: ServiceCall): Promise<unknown> =>
    service.pick({ method, path: pathOf(named), json, effect: 'keyed' }, fields);
}

/** Returns a form with files as a request has it, with its content type. */
export async function encodeForm(form: FormData): Promise<Pick<ServiceRequest, 'headers' | 'body'>> {
  const encoded = new Response(form);
  const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '' };
  return { headers, body: new Uint8Array(await encoded.arrayBuffer()) };
}

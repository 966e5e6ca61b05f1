import { type QueryClient, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { answerOf, type Api } from '../core/http/api-client.ts';
import { type Pages, useAnswerPages } from '../core/http/use-answer.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { RunDelivery } from '../destinations/index.ts';
import type { components } from '../openapi.ts';

export type ListedRun = components['schemas']['ListedRun'];
export type RunStatus = components['schemas']['RunStatus'];
export type RunKind = components['schemas']['RunKind'];
export type RunTrigger = components['schemas']['RunTrigger'];
export type RunStep = components['schemas']['WorkflowRunStep'];

/** What lists of runs show of one, whether it is of a workflow or of a schedule. */
export interface ShownRun {
  readonly id: string;
  readonly status: RunStatus;
  readonly triggered_by: RunTrigger | components['schemas']['ScheduleRunTrigger'];
  readonly chat_id: string | null;
  readonly error: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly created_at: string;
}

/** What a list of runs is narrowed by. */
export interface RunFilters {
  readonly status?: RunStatus;
  readonly kind?: RunKind;
  readonly triggered_by?: RunTrigger;
  readonly agent_id?: string;
  /** Only those that were created since. */
  readonly from?: string;
  /** Only those of which a report was given up. */
  readonly undelivered?: true;
}

/** How often a list is read again while something of it is at work. */
const LIVE_MS = 10_000;

/** Returns whether a run has not ended yet. */
export function isOpen({ status }: Pick<ShownRun, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting';
}

/** Returns how often runs are read again where no events tell of them: while one of them is open. */
export function whileOpen(runs: readonly ShownRun[]): number | false {
  return runs.some(isOpen) ? LIVE_MS : false;
}

/** Returns the runs of all workflows and schedules, open ones first, page by page. */
export function useRuns(filters: RunFilters): Pages<ListedRun> {
  const isLive = useLive();
  return useAnswerPages(['runs', filters], '/api/runs', {
    params: { query: filters },
    refetchInterval: isLive ? false : whileOpen,
  });
}

/** What was asked and answered in a run. */
export interface RunContent {
  readonly prompt: string;
  readonly output: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Names in the prompt that had no value. */
  readonly missing: readonly string[];
  /** The steps of a workflow; none for a schedule. */
  readonly steps: readonly RunStep[];
  /** Where it is reported. */
  readonly deliveries: readonly RunDelivery[];
}

/** Returns what was asked and answered in a run; read again while it is open. */
export function useRunContent(run: ListedRun): UseQueryResult<RunContent> {
  const [api, orgId, isLive] = [useApi(), useOrgId(), useLive()];
  return useQuery({
    queryKey: [orgId, 'runs', run.id, run.updated_at],
    queryFn: async ({ signal }) => readContent(api, run, signal),
    // A run that has changed is read anew under another key; until then what is known of it is shown.
    placeholderData: (before, query) => (query?.queryKey[2] === run.id ? before : undefined),
    refetchInterval: isOpen(run) && !isLive ? LIVE_MS : false,
  });
}

async function readContent(api: Api, run: ListedRun, signal: AbortSignal): Promise<RunContent> {
  const { id, workflow_id: workflowId } = run;
  if (workflowId === null) {
    const params = { path: { run_id: id } };
    const { prompt, output, deliveries } = await answerOf(api.GET('/api/schedules/runs/{run_id}', { params, signal }));
    return { prompt, output, variables: {}, missing: [], steps: [], deliveries };
  }
  const params = { path: { workflow_id: workflowId, run_id: id } };
  const found = await answerOf(api.GET('/api/workflows/{workflow_id}/runs/{run_id}', { params, signal }));
  const { prompt, output, variables, missing_variables: missing, steps, deliveries } = found;
  return { prompt, output: output ?? '', variables, missing, steps, deliveries };
}

/** Returns what starts a run like one before: of the same workflow with the same variables, or of the same schedule. */
export function useRunAgain({ workflow_id: workflowId, schedule_id: scheduleId }: ListedRun) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async (variables: RunContent['variables']) => {
      if (workflowId !== null) {
        const params = { path: { workflow_id: workflowId } };
        return answerOf(api.POST('/api/workflows/{workflow_id}/trigger', { params, body: { variables } }));
      }
      const params = { path: { schedule_id: scheduleId ?? '' } };
      return answerOf(api.POST('/api/schedules/{schedule_id}/trigger', { params }));
    },
    onSettled: async () => readAgain(cache, orgId),
  });
}

async function readAgain(cache: QueryClient, orgId: string): Promise<void> {
  const names = ['runs', 'schedules', 'workflows'];
  await Promise.all(names.map(async (name) => cache.invalidateQueries({ queryKey: [orgId, name] })));
}

/** Returns what stops a run: one of a schedule when no workflow is named. */
export function useInterruptRun() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ id, workflowId }: { readonly id: string; readonly workflowId: string | null }) => {
      if (workflowId === null) {
        await answerOf(api.POST('/api/schedules/runs/{run_id}/interrupt', { params: { path: { run_id: id } } }));
        return;
      }
      const params = { path: { workflow_id: workflowId, run_id: id } };
      await answerOf(api.POST('/api/workflows/{workflow_id}/runs/{run_id}/interrupt', { params }));
    },
    onSettled: async () => readAgain(cache, orgId),
  });
}

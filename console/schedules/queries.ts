import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { type Pages, useAnswer, useAnswerPages, useRecordActions, useSend } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import { whileOpen } from '../runs/index.ts';

export type Schedule = components['schemas']['Schedule'];
export type ScheduleChanges = components['schemas']['ScheduleUpdate'];
export type ScheduleRun = components['schemas']['ScheduleRun'];
export type Overlap = components['schemas']['ScheduleOverlap'];

const LIVE_MS = 10_000;
const PAGE = 1_000;

/** Returns the schedules of the organization page by page; read again while one of them has a run at work. */
export function useSchedules(): Pages<Schedule> {
  const isLive = useLive();
  return useAnswerPages(['schedules'], '/api/schedules', {
    pageSize: PAGE,
    refetchInterval: (items) => !isLive && items.some(({ last_run: run }) => run?.status === 'running') && LIVE_MS,
  });
}

/** Returns a schedule. */
export function useSchedule(id: string): UseQueryResult<Schedule> {
  const isLive = useLive();
  return useAnswer(['schedules', id], '/api/schedules/{schedule_id}', {
    params: { path: { schedule_id: id } },
    refetchInterval: ({ state }) => (!isLive && state.data?.last_run?.status === 'running' ? LIVE_MS : false),
  });
}

/** Returns the next times of a schedule, as the server has them: `changedAt` is the version of the schedule. */
export function useNextTimes(id: string, changedAt: string, next: string | null): UseQueryResult<readonly string[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'schedules', id, 'next', changedAt, next],
    queryFn: async ({ signal }) => {
      const params = { path: { schedule_id: id } };
      return (await answerOf(api.GET('/api/schedules/{schedule_id}/next', { params, signal }))).times;
    },
  });
}

/** Returns the runs of a schedule, newest first and page by page. */
export function useScheduleRuns(id: string): Pages<ScheduleRun> {
  const isLive = useLive();
  return useAnswerPages(['schedules', id, 'runs'], '/api/schedules/{schedule_id}/runs', {
    params: { path: { schedule_id: id } },
    refetchInterval: isLive ? false : whileOpen,
  });
}

/** Returns what adds and changes schedules, and reads them again. */
export function useScheduleRecords() {
  return useRecordActions('schedules', '/api/schedules', '/api/schedules/{schedule_id}');
}

/** Returns what can be done with a schedule. Each ends once what it has changed was read again. */
export function useScheduleActions(id: string) {
  const [orgId, cache] = [useOrgId(), useQueryClient()];
  const records = useScheduleRecords();
  const params = { path: { schedule_id: id } };
  const started = { reads: [['schedules'], ['runs']], isAlways: true };
  return {
    activate: useSend(
      async (sent, isOn: boolean) =>
        sent.POST(`/api/schedules/{schedule_id}/${isOn ? 'activate' : 'deactivate'}`, { params }),
      { reads: [['schedules']], isAlways: true },
    ),
    trigger: useSend(async (sent) => sent.POST('/api/schedules/{schedule_id}/trigger', { params }), started),
    backfill: useSend(
      async (sent, body: components['schemas']['ScheduleBackfill']) =>
        sent.POST('/api/schedules/{schedule_id}/backfill', { params, body }),
      started,
    ),
    /** Deletes it with its runs. */
    remove: async () => {
      await records.remove(id);
      await cache.invalidateQueries({ queryKey: [orgId, 'runs'] });
    },
  };
}

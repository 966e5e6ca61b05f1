/** The series that a worker counts up: what each counts. */
export const COUNTED = {
  everturn_turns_ended_total: 'Turns that this worker has ended, by status',
  everturn_repeated_steps_total: 'Steps of turns that were started again because their worker had died or handed over',
  everturn_model_calls_total: 'Calls of models, by type of provider, outcome and kind of failure',
  everturn_model_tokens_total: 'Tokens that providers counted, by type of provider and kind',
  everturn_model_cost_microdollars_total: 'What these tokens cost, in millionths of a US dollar',
  everturn_tool_calls_total: 'Tool calls that got a result, by status',
  everturn_webhook_attempts_total: 'Attempts to deliver to a webhook, by outcome',
  everturn_repairs_total: 'Things that were overdue and that a scan of the rows had done, by kind',
  everturn_job_failures_total: 'Failed runs of the jobs that each worker repeats, by job',
} as const;

/** The series of times, in seconds, that a worker has the distribution of. */
export const TIMED = {
  everturn_turn_wait_seconds: 'From a message to the worker that begins its turn',
  everturn_first_token_seconds: 'From a message to the first token of its answer',
  everturn_model_first_token_seconds: 'From a call of a model to its first token, by type of provider',
  everturn_tool_call_seconds: 'The time that a tool call took',
} as const;

/** The bounds of the buckets of all times, in seconds. */
export const TIME_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Words of which there are few: no organization, person, address, or name that one of them has chosen. */
type Labels = Readonly<Record<string, string>>;

/** Records the metrics of a process. */
export interface Meter {
  count(series: keyof typeof COUNTED, labels?: Labels, by?: number): void;
  time(series: keyof typeof TIMED, seconds: number, labels?: Labels): void;
}

let installed: Meter | undefined;

/** Records the metrics of this process with `meter` from now on. Called once, at its start. */
export function installMeter(meter: Meter): void {
  installed = meter;
}

/** The meter of the process: it takes nothing unless one was installed. */
export const meter: Meter = {
  count: (series, labels, by) => installed?.count(series, labels, by),
  time: (series, seconds, labels) => installed?.time(series, seconds, labels),
};

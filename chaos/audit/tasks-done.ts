import type { Evidence } from './evidence.ts';
import type { TaskFact, TurnFact, Verdict } from './facts.ts';
import type { TaskPlan } from '../work/tasks.ts';

/** The turns of one task. */
interface TaskCase {
  readonly plan: TaskPlan;
  readonly task: TaskFact;
  readonly attempts: readonly TurnFact[];
  readonly reports: readonly TurnFact[];
}

/** Checks T1: a task runs to one end, after those that it depends on, and its result is told once. */
export function tasksDone({ facts, talk }: Evidence): Verdict {
  const plans = new Map(talk.tasks.map((plan) => [plan.title, plan]));
  const turns = Map.groupBy(facts.taskTurns, ({ taskId }) => taskId);
  const cases = facts.tasks.flatMap((task): TaskCase[] => {
    const plan = plans.get(task.title);
    if (plan === undefined) return [];
    const own = turns.get(task.id) ?? [];
    return [
      { plan, task, attempts: own.filter((each) => !each.isReport), reports: own.filter((each) => each.isReport) },
    ];
  });
  const tasks = new Map(facts.tasks.map((task) => [task.id, task]));
  const done = new Set(cases.map(({ plan }) => plan));
  const stored = new Set(cases.map(({ task }) => task.id));
  const breaches = [
    ...cases.flatMap((each) => faultsOf(each, tasks).map((fault) => `${each.plan.title} (${each.task.id}) ${fault}`)),
    ...talk.tasks
      .filter((plan) => !done.has(plan))
      .map(({ title }) => `${title} was never stored, however often it was added`),
    ...[...talk.addedTasks]
      .filter(([, id]) => !stored.has(id))
      .map(([{ title }]) => `${title} was acknowledged and is gone`),
  ];
  const waited = cases.filter(({ task }) => task.needs.length > 0).length;
  return {
    promise: 'T1',
    claim: 'a task runs to one end, after those that it depends on, and its result is told once',
    figure:
      `${cases.filter(({ task }) => task.status === 'completed').length} of ${cases.length} tasks completed, ${waited} of them after others; ` +
      `${cases.length - done.size} were added again because an answer was lost; the longest began ${longestGap(cases, tasks)} s after the last of those`,
    breaches,
  };
}

function faultsOf({ plan, task, attempts, reports }: TaskCase, tasks: ReadonlyMap<string, TaskFact>): string[] {
  const faults: string[] = [];
  if (task.status !== 'completed') faults.push(`is ${task.status}`);
  if (attempts.length !== 1 || task.attempts !== 1)
    faults.push(`was worked on by ${attempts.length} turns and counts ${task.attempts}`);
  if (task.output !== plan.turn.text)
    faults.push(`says ${JSON.stringify(task.output)}, not ${JSON.stringify(plan.turn.text)}`);
  if (reports.length !== 1) faults.push(`was told by ${reports.length} turns`);
  return [...faults, ...faultsOfTurns({ task, attempts, reports }), ...faultsOfOrder({ task, attempts }, tasks)];
}

function faultsOfTurns({ task, attempts, reports }: Omit<TaskCase, 'plan'>): string[] {
  const isReported = ({ status, questions, answers }: TurnFact) =>
    status === 'completed' && questions.length === 0 && answers.length === 1 && answers[0]?.content === task.output;
  const isAnswered = ({ questions, answers }: TurnFact) => questions.length === 1 && answers.length === 1;
  return [
    ...reports
      .filter((turn) => !isReported(turn))
      .map(({ id, status }) => `was told otherwise by turn ${id}, which is ${status}`),
    ...attempts
      .filter((turn) => !isAnswered(turn))
      .map(({ id }) => `has a turn ${id} without one question and one answer`),
  ];
}

function faultsOfOrder(
  { task, attempts }: Pick<TaskCase, 'task' | 'attempts'>,
  tasks: ReadonlyMap<string, TaskFact>,
): string[] {
  const needs = task.needs.flatMap((id) => tasks.get(id) ?? []);
  const [attempt] = attempts;
  if (attempt === undefined) return [];
  const early = needs.filter(({ endedAt }) => endedAt === null || endedAt > attempt.createdAt);
  const question = attempt.questions[0]?.content ?? '';
  const untold = needs.filter(({ title, output }) => !question.includes(`Result of the task "${title}":\n${output}`));
  return [
    ...early.map(({ title }) => `began before ${title} had ended`),
    ...untold.map(({ title }) => `was not told the result of ${title}`),
  ];
}

function longestGap(cases: readonly TaskCase[], tasks: ReadonlyMap<string, TaskFact>): string {
  const gaps = cases.flatMap(({ task, attempts }) => {
    const ends = task.needs.map((id) => tasks.get(id)?.endedAt ?? Number.NaN);
    const [attempt] = attempts;
    return ends.length === 0 || attempt === undefined ? [] : [attempt.createdAt - Math.max(...ends, task.createdAt)];
  });
  return (Math.max(0, ...gaps) / 1_000).toFixed(1);
}

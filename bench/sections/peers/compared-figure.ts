import { figure, type Target, verdictOf } from '../../report/target.ts';
import type { BySystem } from './systems.ts';

/** A figure of the product and the same of its peers. */
export interface ComparedFigure extends Pick<Target, 'name' | 'better' | 'unit'> {
  readonly values: BySystem<number>;
  readonly wanted?: Wanted;
}

/** A limit of the product's figure, and what it is a limit of. */
interface Wanted {
  readonly bound: number;
  readonly as: string;
}

/** The head of the table. */
export const COMPARED_HEAD = ['', 'Everturn', 'DBOS', 'ratio', 'floor', 'ratio', 'wanted', ''];

/** Returns a limit that is a multiple of another figure. */
export function times(factor: number, name: string, value: number): Wanted {
  return { bound: factor * value, as: `${factor} x ${name}` };
}

/** Returns the row of a figure in the table. */
export function comparedRow({ name, unit, better, values, wanted }: ComparedFigure): string[] {
  const { everturn, dbos, floor } = values;
  return [
    unit === '' ? name : `${name}, ${unit}`,
    figure(everturn),
    figure(dbos),
    figure(everturn / dbos, 2),
    figure(floor),
    figure(everturn / floor, 2),
    wanted?.as ?? '',
    verdictOf({ name, unit, better, measured: everturn, ...(wanted && { bound: wanted.bound }) }),
  ];
}

/** Returns the targets of those figures that have a limit. */
export function comparedTargets(figures: readonly ComparedFigure[]): Target[] {
  return figures.flatMap(({ name, unit, better, values, wanted }) =>
    wanted === undefined
      ? []
      : {
          name: `beside its peers: ${name} (${wanted.as})`,
          measured: values.everturn,
          bound: Number(wanted.bound.toFixed(2)),
          better,
          unit,
          floor: values.floor,
        },
  );
}

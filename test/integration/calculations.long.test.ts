import { describeCalculations } from './describe-calculations.ts';

describeCalculations(Infinity);

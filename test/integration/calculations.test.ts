import { describeCalculations } from './describe-calculations.ts';

describeCalculations(1);

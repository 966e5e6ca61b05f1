import { describeOperatorPrograms } from './describe-operator-programs.ts';

describeOperatorPrograms(Infinity);

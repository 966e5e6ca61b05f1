import { describeOperatorPrograms } from './describe-operator-programs.ts';

describeOperatorPrograms(1);

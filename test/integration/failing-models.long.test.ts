import { describeFailingModels } from './describe-failing-models.ts';

describeFailingModels(Infinity);

import { describeFailingModels } from './describe-failing-models.ts';

describeFailingModels(2);

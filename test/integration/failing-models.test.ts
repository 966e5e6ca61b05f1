import { startTestInstance } from '../support/test-instance.ts';
import { describeFailingModels } from './describe-failing-models.ts';

describeFailingModels(startTestInstance, 1);

import { startOwnInstance } from '../support/test-instance.ts';
import { describeFailover } from './describe-failover.ts';

const worker = { MODEL_FIRST_BYTE_TIMEOUT: '2', MODEL_IDLE_TIMEOUT: '2' };

describeFailover(async () => startOwnInstance({ worker }), Infinity);

import './approvals.test.ts';

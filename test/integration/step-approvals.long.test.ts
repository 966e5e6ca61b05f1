import './step-approvals.test.ts';

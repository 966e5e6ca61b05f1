import './mcp-conformance.test.ts';

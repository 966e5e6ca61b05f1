import type { ServiceAnswer, ServiceRequest } from '../../../context.ts';

/** A Kubernetes cluster, as one context of an integration reaches it. */
export interface Cluster {
  /** The namespace of calls that name none. */
  readonly namespace: string;
  /** Sends a request. Throws `ToolFailure` with the words of the cluster, without secrets. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
}

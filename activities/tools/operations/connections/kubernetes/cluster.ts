import type { ServiceAnswer, ServiceRequest } from '../../../context.ts';

/** How a cluster is opened. */
export interface ClusterOptions {
  /** The context of the kubeconfig; undefined where the integration says it, or has none. */
  readonly context: string | undefined;
  /** Whether an earlier attempt at the call may have sent the same requests. */
  readonly isRepeated: boolean;
}

/** A Kubernetes cluster, as one context of an integration reaches it. */
export interface Cluster {
  /** The namespace of calls that name none. */
  readonly namespace: string;
  /** Sends a request. Throws `ToolFailure` with the words of the cluster, without secrets. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
}

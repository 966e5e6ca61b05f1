//go:build tools

// Package tools pins the Temporal CLI, whose own module cannot be installed by `go install`
// because it carries a replace directive.
package tools

import _ "github.com/temporalio/cli/cmd/temporal"

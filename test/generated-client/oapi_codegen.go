// Uses the client that oapi-codegen writes: lists records, has an agent answer, and reads errors.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"github.com/google/uuid"

	"example.com/client/everturn"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	server, token := os.Args[1], os.Args[2]
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	client := must(everturn.NewClientWithResponses(server, everturn.WithRequestEditorFn(authorize)))
	ctx := context.Background()

	created := must(client.CreateAgentWithResponse(ctx, nil, everturn.AgentCreate{Name: "Helper"}))
	servers := must(client.ListMcpServersWithResponse(ctx, &everturn.ListMcpServersParams{}))
	integrations := must(client.ListIntegrationsWithResponse(ctx, &everturn.ListIntegrationsParams{}))

	ask := func(model string) *everturn.CreateResponseResponse {
		request := everturn.AgentResponseRequest{Model: model}
		if err := request.Input.FromAgentResponseRequestInput0("[[say Good morning]]"); err != nil {
			panic(err)
		}
		return must(client.CreateResponseWithResponse(ctx, nil, request))
	}
	answer, refused := ask("Helper"), ask("Nobody")
	missing := must(client.GetAgentWithResponse(ctx, uuid.New(), nil))

	report := map[string]any{
		"agent":       created.JSON201.Name,
		"server":      (*servers.JSON200)[0].Name,
		"integration": (*integrations.JSON200)[0].Name,
		"answer":      answer.JSON200.Output[0].Content[0].Text,
		"code":        refused.JSON404.Error.Code,
		"missing":     must(missing.JSON404.Detail.AsProblemDetail0()),
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		panic(err)
	}
}

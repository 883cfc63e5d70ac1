// Sends the values of standard input with the encoder of clients that oapi-codegen generates.
package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"

	"github.com/oapi-codegen/runtime"
)

type sent struct {
	URL     string `json:"url"`
	Place   string `json:"place"`
	Style   string `json:"style"`
	Explode bool   `json:"explode"`
	Value   any    `json:"value"`
}

var locations = map[string]runtime.ParamLocation{
	"path":   runtime.ParamLocationPath,
	"query":  runtime.ParamLocationQuery,
	"header": runtime.ParamLocationHeader,
	"cookie": runtime.ParamLocationCookie,
}

func main() {
	var cases []sent
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	statuses := []int{}
	for _, one := range cases {
		style := one.Style
		if one.Place == "cookie" {
			// The generated clients encode cookies so, as one text.
			style = "simple"
		}
		text, err := runtime.StyleParamWithLocation(style, one.Explode, "p", locations[one.Place], one.Value)
		if err != nil {
			panic(err)
		}
		target := one.URL
		switch one.Place {
		case "path":
			target += "/" + text
		case "query":
			// The delimiter of spaceDelimited isn't encoded yet.
			target += "?" + strings.ReplaceAll(text, " ", "%20")
		}
		request, err := http.NewRequest("GET", target, nil)
		if err != nil {
			panic(err)
		}
		switch one.Place {
		case "header":
			request.Header.Set("p", text)
		case "cookie":
			request.AddCookie(&http.Cookie{Name: "p", Value: text})
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		response.Body.Close()
		statuses = append(statuses, response.StatusCode)
	}
	json.NewEncoder(os.Stdout).Encode(statuses)
}

// Sends the cases of standard input with the encoders of Go's net/url: url.Values and url.PathEscape.
package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
)

type sent struct {
	URL   string     `json:"url"`
	Place string     `json:"place"`
	Pairs [][]string `json:"pairs"`
}

func main() {
	var cases []sent
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	statuses := []int{}
	for _, one := range cases {
		values := url.Values{}
		for _, pair := range one.Pairs {
			values.Add(pair[0], pair[1])
		}
		method, target, body := "GET", one.URL, ""
		switch one.Place {
		case "query":
			target += "?" + values.Encode()
		case "path":
			target += "/" + url.PathEscape(one.Pairs[0][1])
		case "form":
			method, body = "POST", values.Encode()
		}
		request, err := http.NewRequest(method, target, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		for _, pair := range one.Pairs {
			switch one.Place {
			case "header":
				request.Header.Add(pair[0], pair[1])
			case "cookie":
				request.AddCookie(&http.Cookie{Name: pair[0], Value: pair[1]})
			}
		}
		if method == "POST" {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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

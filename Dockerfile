# The container image of gw. The executables lie under the names that Docker gives to CPUs: dist/image/amd64/gw and
# dist/image/arm64/gw (docs/container.md). Nothing runs during the build, so that any machine builds for both.
# BASE is any system with glibc, also one without a shell; gw brings all else.
ARG BASE=debian:trixie-slim
FROM ${BASE}
ARG TARGETARCH
COPY dist/image/${TARGETARCH}/gw /usr/local/bin/gw
# A mock server in a container is for clients outside it: all addresses, IPv6 and IPv4.
ENV GW_MOCK_HOST=::
# Numbers, so that Kubernetes sees at once that the user isn't root.
USER 65532:65532
WORKDIR /definitions
EXPOSE 8080
HEALTHCHECK --interval=10s --start-period=10s CMD ["gw", "health"]
ENTRYPOINT ["gw"]

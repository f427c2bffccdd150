"""The build output in an emulated AWS that enforces IAM, as `sam deploy` puts it there.

`deployed` does it all: `sam` deploys, `routes` and `corrections` make good what the emulator's
CloudFormation leaves out, `runtime` has the functions run as Lambda runs them.
"""
